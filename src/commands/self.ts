/** The command line of this installation, for a scheduler. */
import { resolve } from 'node:path';
import type { Flags } from '../config.js';
import { PACKAGE_ROOT } from '../package.js';

/** Program and arguments, with absolute paths: a scheduler starts in another folder and with another PATH. */
export function commandLine(command: string, flags: Flags): [string, ...string[]] {
  return [
    process.execPath,
    resolve(PACKAGE_ROOT, 'dist/src/cli.js'),
    command,
    ...(flags.config === undefined ? [] : ['--config', resolve(flags.config)]),
    ...(flags.logFormat === undefined ? [] : ['--log-format', flags.logFormat]),
    ...(flags.dataDir === undefined ? [] : ['--data-dir', resolve(flags.dataDir)]),
  ];
}
