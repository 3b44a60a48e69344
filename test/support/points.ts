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
