/** Where tests kill a process, by the names that `effects.reach` is given. */

/** The crash points of the working file, in the order in which a run passes them. */
export const WAREHOUSE_POINTS = [
  'load/before-commit',
  'load/after-commit',
  'exports/after-replace',
  'model/done',
  'check/before-commit',
  'check/done',
  'close/before-checkpoint',
  'close/after-checkpoint',
  'close/done',
] as const;

/** The crash points of publishing, in their order. */
export const PUBLISH_POINTS = [
  'publish/before-copy',
  'publish/before-fsync',
  'publish/before-rename',
  'publish/after-rename',
  'publish/after-folder-fsync',
] as const;

/** The crash points of one write of a file, in order; each is named `<what>/<step>`. */
export const DURABLE_STEPS = [
  'before-write',
  'before-fsync',
  'before-rename',
  'before-folder-fsync',
  'durable',
] as const;

/** The crash points of writing a line of the journal, in order; each is named `journal/<kind>/<event>/<step>`. */
export const JOURNAL_STEPS = ['before-append', 'before-fsync', 'durable', 'copy/before-fsync', 'copied'];

/** The crash points of a push to the lake, in their order. */
export const LAKE_POINTS = [
  'lake/prepared',
  'lake/after-delete',
  'lake/after-insert',
  'lake/before-commit',
  'lake/after-commit',
  'lake/settled',
] as const;
