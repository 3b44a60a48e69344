/** `dawnload sandbox`: runs the sandbox service on a port until it is stopped. */
import { once } from 'node:events';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { startSandbox } from '../../sandbox/index.js';
import { formatCount } from '../terminal/terminal.js';
import type { Invocation } from '../config/invocation.js';
import { numberIn } from './shared.js';

interface SandboxFlags extends Record<'port' | 'eventsPerDay' | 'exportSeconds', string> {
  readonly billingJournal?: string;
}

export async function sandboxCommand(flags: SandboxFlags, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects, signal } = invocation;
  const keys = { accessKey: 'sandbox-access-key', secretKey: 'sandbox-secret-key' };
  const projectId = '0123456789abcdef0123456789abcdef';
  const eventsPerDay = numberIn('--events-per-day', flags.eventsPerDay, 0, 100_000_000);
  const sandbox = await startSandbox({
    port: numberIn('--port', flags.port, 0, 65_535),
    eventsPerDay,
    exportSeconds: numberIn('--export-seconds', flags.exportSeconds, 0, 86_400),
    now: () => effects.now(),
    ...keys,
    projectId,
    ...(flags.billingJournal !== undefined && { billingJournal: flags.billingJournal }),
  });
  // The environment of a job against the sandbox, for `eval "$(…)"` or a program that reads lines.
  terminal.out(`DAWNLOAD_BASE_URL=${sandbox.url}`);
  terminal.out(`DAWNLOAD_PROJECT_ID=${projectId}`);
  terminal.out(`DAWNLOAD_ACCESS_KEY=${keys.accessKey}`);
  terminal.out(`DAWNLOAD_SECRET_KEY=${keys.secretKey}`);
  const size = `about ${formatCount(eventsPerDay)} events a day`;
  terminal.note(`The sandbox answers on ${sandbox.url} with ${size}. Press Ctrl-C to stop it.`);
  if (!signal.aborted) await once(signal, 'abort');
  await sandbox.close();
  return EXIT.done;
}
