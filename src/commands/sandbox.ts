/** `dawnload sandbox`: runs the sandbox service on a port until it is stopped. */
import { EXIT, type ExitCode } from '../ground/errors.js';
import { startSandbox } from '../../sandbox/index.js';
import { formatCount } from '../terminal/terminal.js';
import type { Invocation } from '../config/invocation.js';
import { numberIn } from './shared.js';

export interface SandboxFlags {
  readonly port: string;
  readonly eventsPerDay: string;
  readonly exportSeconds: string;
  readonly catalogItems: string;
  readonly latency: string;
  /** False if `--no-date` was given. */
  readonly date: boolean;
  /** False if `--no-restatements` was given. */
  readonly restatements: boolean;
  readonly billingJournal?: string;
}

export async function sandboxCommand(flags: SandboxFlags, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects, signal } = invocation;
  const accessKey = 'sandbox-access-key';
  const secretKey = 'sandbox-secret-key';
  const projectId = '0123456789abcdef0123456789abcdef';
  const eventsPerDay = numberIn('--events-per-day', flags.eventsPerDay, 0, 100_000_000);
  const sandbox = await startSandbox({
    port: numberIn('--port', flags.port, 0, 65_535),
    eventsPerDay,
    exportSeconds: numberIn('--export-seconds', flags.exportSeconds, 0, 86_400),
    catalogItems: Math.floor(numberIn('--catalog-items', flags.catalogItems, 0, 100_000_000)),
    latencyMs: numberIn('--latency', flags.latency, 0, 600_000),
    now: () => effects.now(),
    ...(flags.date ? {} : { date: () => null }),
    restates: flags.restatements,
    accessKey,
    secretKey,
    projectId,
    ...(flags.billingJournal === undefined ? {} : { billingJournal: flags.billingJournal }),
  });
  // Prints the environment variables that a job against the sandbox needs to stdout, so that `eval "$(…)"` or a program
  // that reads lines can use them.
  terminal.out(`DAWNLOAD_BASE_URL=${sandbox.url}`);
  terminal.out(`DAWNLOAD_PROJECT_ID=${projectId}`);
  terminal.out(`DAWNLOAD_ACCESS_KEY=${accessKey}`);
  terminal.out(`DAWNLOAD_SECRET_KEY=${secretKey}`);
  terminal.note(
    `The sandbox answers on ${sandbox.url} with about ${formatCount(eventsPerDay)} events a day. Press Ctrl-C to stop it.`,
  );
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
  await sandbox.close();
  return EXIT.done;
}
