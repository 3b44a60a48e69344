/**
 * The crash points: places just before or after a durable step, each with what recovery must do after a kill there. `DAWNLOAD_CRASH_AT` and
 * `effects.reach` accept only these names.
 */
import type { StreamName } from './streams.js';

export const POINTS = {
  'rebuild/before-open': 'Nothing was made. The next command discards the rebuilt file.',
  'push/answered':
    'The service may have taken the call. A call that reaches people is ambiguous; any other is sent again.',
  'load/before-commit': 'The transaction is rolled back. The next run loads the pull from landing.',
  'load/after-commit': 'The pull is loaded. The next run resumes with the models.',
  'erase/landing-swept': 'Pages are cut and days are not loaded again. `forget` resumes by its record.',
  'erase/loaded': 'Both files may differ. `forget` resumes, and publishes.',
  'exports/after-replace':
    'The private file lists the exports of the ledger. The next run writes them again.',
  'model/done': 'Models are committed. The next run refreshes what is dirty, and publishes.',
  'check/before-commit': 'The findings are rolled back. The next run checks again.',
  'check/done': 'Nothing is published. The next run publishes.',
  'close/before-checkpoint':
    'A log is left beside the private file. DuckDB replays it when the next run opens the file.',
  'close/after-checkpoint': 'The private file is complete. The next run publishes it.',
  'close/done': 'The private file is complete. The next run publishes it.',
  'publish/before-copy': 'Readers have the old file. The next run publishes.',
  'publish/before-fsync': 'Readers have the old file. The next run sweeps the copy, and publishes.',
  'publish/before-rename': 'Readers have the old file. The next run sweeps the copy, and publishes.',
  'publish/after-rename': 'Readers have one of the two files, each complete. The next run publishes again.',
  'publish/after-folder-fsync':
    'Readers have the new file. What follows publication is done by the next run.',
  'replace/before-rename': 'The private file is the old one. A rebuild starts again; a rewrite is due again.',
  'replace/after-rename': 'The private file is the new one.',
  'retention/unlisted':
    'The journal records the removal and the folder has no manifest, so the folder counts as removed. The next removal deletes the rest.',
  'retention/removed':
    'The journal records the removal, and a part of the folder may still exist. The next removal deletes the rest.',
  'lake/prepared': 'Nothing is in the lake. The next push prepares again.',
  'lake/after-delete': 'The transaction of the lake is not committed. The next push makes it again.',
  'lake/after-insert': 'The transaction of the lake is not committed. The next push makes it again.',
  'lake/before-commit': 'The journal has the intent. The next push looks for the commit in the lake.',
  'lake/after-commit':
    'The lake has the commit, and the journal lacks its end. The next push finds it there.',
  'lake/settled': 'Lake and journal agree.',
  'erase/copied':
    'The private file has no erased bytes, the published one may. `forget` resumes, and publishes.',
  'erase/receipt':
    'The receipt is written, and the erasure is unfinished. `forget` resumes, and writes another receipt.',
} as const;

/** The steps of a durable write of a file, in order. A crash point is named `<file>/<step>`. */
export const WRITE_STEPS = {
  'before-write': 'Nothing changed.',
  'before-fsync': 'The old file stays. A sweep removes the temporary one.',
  'before-rename': 'The old file stays. A sweep removes the temporary one.',
  'before-folder-fsync': 'The new file is there; after a power cut, possibly the old one.',
  durable: 'The new file is there.',
} as const;

/**
 * The steps of an append to the journal or to the rows of pushes, in order. A crash point is named `journal/<kind>/<event>/<step>`, or for
 * the second copy `journal/<kind>/<event>/copy/<step>`.
 */
export const APPEND_STEPS = {
  'before-append': 'The line is missing. Nothing that it promises was sent.',
  'before-fsync': 'The line is there, in part, or missing. A torn end heals.',
  durable:
    'The line is durable, its copy is not yet. The request may not have been sent, so its outcome is unknown.',
} as const;

export const FILES = [
  'alerts',
  'erase-receipt',
  'erase-receipt-json',
  'erasing',
  'erasures/page',
  'erasures/snapshot',
  'hmac-key',
  'journal/copy',
  'journal/healed',
  'journal/reserve',
  'journal/set-aside',
  'land/rejected',
  'lock',
  'swept',
  'witness',
] as const;
type Landed = `land/${StreamName}` | `land/${StreamName}-manifest`;
export type FileName = (typeof FILES)[number] | Landed;

export type Appended = 'pushed' | `journal/${string}`;

export type CrashPoint =
  | keyof typeof POINTS
  | `${FileName}/${keyof typeof WRITE_STEPS}`
  | `${Appended}/${keyof typeof APPEND_STEPS}`
  | `journal/${string}/copied`;
