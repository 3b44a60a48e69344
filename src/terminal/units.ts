/** Numbers for people: counts, bytes, stretches of time. */

/** A count: `1,234,567`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** A count where there is little room: `950`, `12.3k`, `1.2M`. */
export function formatRoughly(count: number): string {
  // The next unit from where rounding reaches it.
  const thousands = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(1, count) * 1.0005) / 3)));
  const value = count / 1000 ** thousands;
  const text = thousands === 0 || value >= 99.95 ? value.toFixed(0) : String(Number(value.toFixed(1)));
  return `${text}${['', 'k', 'M', 'G'][thousands] ?? ''}`;
}

/** `1 day`, `2 days`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Bytes: `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power] ?? 'B'}`;
}

/** A stretch of time: `3 days`, `2 h 13 min`, `42 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes >= 48 * 60) return `${Math.floor(minutes / (24 * 60))} days`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A stretch of time as a clock shows it while it passes: `0:42`, `12:05`, `1:02:09`. */
export function formatClock(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [first = 0, ...rest] = parts[0] === 0 ? parts.slice(1) : parts;
  return [first, ...rest.map((part) => String(part).padStart(2, '0'))].join(':');
}
