/** `dawnload backup FOLDER`: copies what must be restored, and verifies what it wrote. */
import { EXIT } from '../ground/errors.js';
import { backUp } from '../operations/backup.js';
import { formatBytes, plural } from '../terminal/terminal.js';
import type { Command, JsonOptions } from './shared.js';

export const backupCommand: Command<JsonOptions, [string]> = async ({ json }, invocation, target) => {
  const { terminal } = invocation;
  const { folder, files, bytes, damaged } = await backUp(target, invocation.loadConfig(), invocation);
  if (json === true) terminal.out(JSON.stringify({ folder, files, bytes, damaged }));
  for (const sentence of damaged) terminal.warn(sentence);
  terminal.note(
    `Backed up ${plural(files, 'file')} (${formatBytes(bytes)}) to ${folder}, and read all of them again.`,
  );
  if (damaged.length > 0)
    terminal.warn(
      `The backup has ${plural(damaged.length, 'file')} as damaged as the data folder has it: \`dawnload doctor --deep\`.`,
    );
  return damaged.length > 0 ? EXIT.incomplete : EXIT.done;
};
