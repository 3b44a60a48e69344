/** Ids of the service as names in a path: readable, reversible, and no two alike even where case does not count. Pure. */
import { createHash } from 'node:crypto';

/** Filesystems take 255 bytes, some encrypting ones 143; room is left for a suffix. */
const LONGEST = 120;

/**
 * The id as one component of a path. Lower-case letters, digits, `_` and (but for the first) `-` stand for themselves;
 * a capital is `~` and its lower-case letter; everything else is `%` and its ASCII code, `%u` and its UTF-16 code.
 * An id too long for a name becomes `%h`, its SHA-256 and cannot be read back.
 */
export function safeName(id: string): string {
  // Per UTF-16 unit, not per character: half a surrogate pair must not become the same name as another half.
  const name = id === '' ? '%' : Array.from({ length: id.length }, (_, i) => safeUnit(id, i)).join('');
  return name.length <= LONGEST ? name : `%h${createHash('sha256').update(id, 'utf16le').digest('hex')}`;
}

/** The id that a name stands for, or `undefined` when it is no such name or was too long. */
export function idOf(name: string): string | undefined {
  if (name === '%') return '';
  if (!/^(?:[a-z0-9_-]|~[a-z]|%[0-9a-f]{2}|%u[0-9a-f]{4})+$/.test(name)) return undefined;
  const id = name.replace(
    /~([a-z])|%u([0-9a-f]{4})|%([0-9a-f]{2})/g,
    (_, capital?: string, wide?: string, code = '') =>
      capital === undefined
        ? String.fromCharCode(Number.parseInt(wide ?? String(code), 16))
        : capital.toUpperCase(),
  );
  return safeName(id) === name ? id : undefined;
}

/** Words for a file name that is not parsed: lower case, hyphens, at most 60 characters. */
export function slug(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 60)
      .replace(/^-|-$/g, '') || 'answer'
  );
}

function safeUnit(id: string, at: number): string {
  const unit = id.charAt(at);
  if (/[a-z0-9_]/.test(unit) || (unit === '-' && at > 0)) return unit;
  if (/[A-Z]/.test(unit)) return `~${unit.toLowerCase()}`;
  const code = unit.charCodeAt(0);
  return code < 0x80 ? `%${code.toString(16).padStart(2, '0')}` : `%u${code.toString(16).padStart(4, '0')}`;
}
