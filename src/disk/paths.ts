/** The paths of all files in the data folder. Names are built and parsed only here. Pure. */
import { basename, dirname, join } from 'node:path';
import { dayOf, isDay, type Day, type DayRange } from '../ground/calendar.js';
import { createHash } from 'node:crypto';
import type { StreamName } from '../ground/streams.js';

/** A paid export on disk: its key in the ledger, and its id at the service (E20). */
export interface ExportPlace {
  readonly day: Day;
  readonly key: string;
  readonly exportId: string;
}

export const MANIFEST = 'pull.json';

export function foldersOf(dataDir: string): { landing: string; ledger: string; private: string } {
  return {
    landing: join(dataDir, 'landing'),
    ledger: join(dataDir, 'ledger'),
    private: join(dataDir, 'private'),
  };
}

/** `<stream>/<first day>_<last day>/<instant>`, even if both days are the same. */
export function pullFolder(stream: StreamName, days: DayRange, pulledAt: Date): string {
  return join(stream, `${days.start}_${days.end}`, instantName(pulledAt));
}

/** `events/<day>/<key>/<export id>`, with `.2` for the second reading. An encoded id never has a dot. */
export function exportFolder({ day, key, exportId }: ExportPlace, reading = 1): string {
  return join('events', day, key, `${safeName(exportId)}${reading === 1 ? '' : `.${reading}`}`);
}

/** Parses the name of a reading's folder; `encoded` is the name of the first reading's folder. */
export function readingOf(name: string): { encoded: string; reading: number } {
  const [, encoded = name, reading = '1'] = /^([^.]+)\.(\d+)$/.exec(name) ?? [];
  return { encoded, reading: Number(reading) };
}

/** Returns the folder of an export's first reading, whose name identifies the export, for the id of any of its readings. */
export function firstReading(id: string): string {
  return join(dirname(id), readingOf(basename(id)).encoded);
}

/**
 * Returns the path, relative to `landing/`, for an unusable answer that is stored as received. `what` describes it to people; `digest` is
 * the SHA-256 of its bytes, of which the name has the first digits.
 */
export function rejectedPath(endpoint: string, what: string, at: Date, digest: string): string {
  const digits = digest.slice(0, 16);
  return join('rejected', dayOf(at), `${slug(endpoint)}-${slug(what)}-${digits}.gz`);
}

export function pageName(page: number): string {
  return `page-${String(page).padStart(5, '0')}.json.gz`;
}

/** Parses the name of a page file into its page number; undefined for another name. */
export function pageOf(name: string): number | undefined {
  const digits = /^page-(\d{5,})\.json\.gz$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function rangeOf(name: string): DayRange | undefined {
  const [start = '', end = '', ...more] = name.split('_');
  return isDay(start) && isDay(end) && more.length === 0 ? { start, end } : undefined;
}

/** Returns an instant as a name that sorts by time, in UTC: `20261121T070512.123Z`. */
export function instantName(instant: Date): string {
  return instant.toISOString().replaceAll(/[-:]/g, '');
}

/** Returns the path to which an unusable file is renamed. An erasure removes such files (`REMOVABLE`). */
export const asidePath = (path: string, now: Date): string => `${path}.set-aside-${instantName(now)}`;

export function instantOf(name: string): Date | undefined {
  const iso = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3}Z)$/;
  const instant = new Date(iso.test(name) ? name.replace(iso, '$1-$2-$3T$4:$5:$6') : Number.NaN);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

/** Maximum length of an encoded id. File systems allow names of 255 bytes, some encrypting ones 143, and a suffix needs room. */
const LONGEST = 120;

/**
 * Encodes an id as one component of a path. Lower-case letters, digits, `_` and (except as the first character) `-` are kept; any other
 * byte of its UTF-8 becomes `%` and its code. An id that is empty, too long or not Unicode becomes `%h` and its SHA-256, which cannot be
 * decoded.
 */
export function safeName(id: string): string {
  const bytes = Buffer.from(id);
  const name = bytes.toString('latin1').replace(/[^a-z0-9_-]|^-/g, (byte) => `%${hexOf(byte)}`);
  if (name !== '' && name.length <= LONGEST && bytes.toString() === id) return name;
  return `%h${createHash('sha256').update(id, 'utf16le').digest('hex')}`;
}

const hexOf = (byte: string): string => byte.charCodeAt(0).toString(16).padStart(2, '0');

/** Decodes a name into its id; undefined if the name is not an encoded id, or is only a hash. */
export function idOf(name: string): string | undefined {
  try {
    const id = decodeURIComponent(name);
    return safeName(id) === name ? id : undefined;
  } catch {
    return undefined;
  }
}

export function slug(text: string): string {
  const words = text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return words.slice(0, 60).replace(/^-|-$/g, '') || 'answer';
}

export type DataFiles = ReturnType<typeof dataFiles>;

export function dataFiles(dataDir: string) {
  const folders = foldersOf(dataDir);
  return {
    published: join(dataDir, 'warehouse.duckdb'),
    report: join(dataDir, 'report.html'),
    /** The status after the latest run, for accounts without access to the journal. */
    status: join(dataDir, 'status.json'),
    /** The private database file that a run changes. */
    working: join(folders.private, 'warehouse.duckdb'),
    /** The database file of a rebuild until it is complete. */
    rebuilt: join(folders.private, 'warehouse.rebuilt.duckdb'),
    temp: join(folders.private, 'tmp'),
    ledger: folders.ledger,
    journal: join(folders.ledger, 'journal.jsonl'),
    /** The record of an unfinished erasure; it exists only until the erasure ends. */
    erasing: join(folders.private, 'erasing.json'),
  };
}
