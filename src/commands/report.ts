/** `dawnload report`: the published warehouse as one page for people. */
import { resolve, sep } from 'node:path';
import type { Language } from '../dictionary/dictionary.js';
import { EXIT, UsageError, type ExitCode } from '../errors.js';
import { realPlace } from '../queries/sink.js';
import { writeReport } from '../report/write.js';
import type { Invocation } from '../run/invocation.js';
import { dataFiles } from '../storage/data-files.js';
import { formatBytes } from '../terminal/terminal.js';

export interface ReportOptions {
  readonly lang?: Language;
  readonly output?: string;
}

export async function reportCommand(options: ReportOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const { dataDir, reportIn } = invocation.loadConfig();
  const { report } = dataFiles(dataDir);
  const file = options.output === undefined ? report : resolve(options.output);
  const isInside = realPlace(file).startsWith(`${realPlace(dataDir)}${sep}`);
  if (isInside && realPlace(file) !== realPlace(report)) {
    throw new UsageError(`${file} is inside the data folder, where only the job may write.`, {
      hint: 'Choose another place for --output.',
    });
  }
  const language = options.lang ?? reportIn ?? 'en';
  const bytes = await writeReport(file, { dataDir, language, now: effects.now() });
  terminal.note(`Wrote ${file} (${formatBytes(bytes)}). Open it in a browser, or send it by mail.`, {
    event: 'report',
    bytes,
  });
  return EXIT.done;
}
