/** `dawnload schedule`: the long-lived scheduler, for machines without cron or systemd. */
import { once } from 'node:events';
import { join } from 'node:path';
import cron from 'node-cron';
import { NIGHTLY } from '../../jobs/nightly.js';
import { KST } from '../ground/calendar.js';
import { requireService } from '../config/config.js';
import { EXIT } from '../ground/errors.js';
import { Journal, RUN, runsOf } from '../journal/journal.js';
import { Nights, parseTime, runProcess } from '../operations/schedule.js';
import { assertSameProject } from '../night/data-folder.js';
import { PACKAGE_ROOT } from '../ground/effects.js';
import type { Command, Options } from './shared.js';

/** Runs until it is stopped. Each run is a process of its own, which reads the settings again. */
export const scheduleCommand: Command<Options<'at', 'now'>> = async (options, invocation) => {
  const { terminal, signal, effects, flags } = invocation;
  const at = parseTime(options.at ?? NIGHTLY.at);
  const config = requireService(invocation.loadConfig());
  const given = {
    '--config': flags.settingsFile,
    '--log-format': flags.logFormat,
    '--data-dir': flags.dataDir,
  };
  const run: [string, ...string[]] = [
    process.execPath,
    join(PACKAGE_ROOT, 'dist/src/cli.js'),
    'run',
    ...(flags.quiet === true ? ['--quiet'] : []),
    ...Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
  ];
  const journal = (): Promise<Journal> => Journal.read(config, effects);
  assertSameProject(await journal(), config);
  const nights = new Nights({
    ...NIGHTLY,
    at,
    signal,
    terminal,
    now: () => effects.now(),
    runs: async () => runsOf((await journal()).of(RUN)),
    run: () => runProcess(run, config.requestTimeoutSeconds, signal),
  });
  terminal.note(`Scheduled daily at ${at} KST. Press Ctrl-C to stop.`);
  if (options.now === true) await nights.run();
  let active: Promise<void> | undefined;
  const tick = (): void => {
    active ??= nights.tick().finally(() => (active = undefined));
  };
  tick();
  // A look every minute, because the timer of a whole night does not advance while a machine is suspended.
  const task = cron.schedule('* * * * *', tick, { timezone: KST, suppressMissedWarning: true });
  if (!signal.aborted) await once(signal, 'abort');
  await active;
  await task.destroy();
  return EXIT.done;
};
