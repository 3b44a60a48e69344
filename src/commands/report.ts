/** `dawnload report`: writes an HTML page about the published warehouse. */
import { resolve } from 'node:path';
import { EXIT } from '../ground/errors.js';
import { Journal, RUN, runsOf } from '../journal/journal.js';
import { dataFiles } from '../disk/paths.js';
import { outsideOf, realPlace } from '../readers/queries/output.js';
import { writeReport } from '../readers/report/report.js';
import { formatBytes } from '../terminal/terminal.js';
import type { Language } from '../warehouse/dictionary.js';
import type { Command } from './shared.js';

export const reportCommand: Command<{ readonly lang?: Language; readonly output?: string }> = async (
  options,
  invocation,
) => {
  const { terminal, effects } = invocation;
  const config = invocation.loadConfig();
  const { dataDir, reportIn } = config;
  const { report } = dataFiles(dataDir);
  const wanted = resolve(options.output ?? report);
  // The report's default path in the data folder is allowed, because each run writes the report there.
  const isOwn = realPlace(wanted) === realPlace(report);
  const file = isOwn ? wanted : outsideOf(config, wanted);
  const language = options.lang ?? reportIn ?? 'en';
  const runs = runsOf((await Journal.read(config, effects)).of(RUN));
  const { bytes, faults } = await writeReport(file, { dataDir, language, now: effects.now(), runs });
  terminal.note(`Wrote ${file} (${formatBytes(bytes)}). Open it in a browser, or send it by e-mail.`, {
    event: 'report',
    bytes,
  });
  for (const fault of faults) terminal.warn(fault);
  return faults.length > 0 ? EXIT.incomplete : EXIT.done;
};
