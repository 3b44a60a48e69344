/** `dawnload doctor`: checks everything that the nightly run depends on. Sends E1 and one day of E17, which are free. */
import { styleText } from 'node:util';
import { sendTestAlert } from '../operations/delivery.js';
import { lastCompleteDay, shiftDay } from '../calendar.js';
import type { Config } from '../config.js';
import {
  Examination,
  ok,
  type Check,
  lastRun,
  ledger,
  lock,
  lookDeeply,
  scheduler,
  warehouse,
  lake,
  disk,
  permissions,
  timeZones,
  versions,
  lookAtService,
  alerts,
  isRehearsal,
  keys,
  settings,
  testAlert,
} from '../operations/doctor.js';
import { EXIT, type ExitCode } from '../errors.js';
import { Ledger } from '../exports/ledger.js';
import { estimateDays } from '../exports/budget.js';
import type { Invocation } from '../run/invocation.js';
import { dataFiles } from '../storage/paths.js';
import { assertSameProject } from '../storage/project.js';
import { lockState } from '../storage/run-lock.js';
import { visible } from '../terminal/text.js';
import { readPublished } from './published.js';

export interface DoctorOptions {
  readonly deep?: boolean;
  readonly json?: boolean;
  /** Whether to send an alert to everybody who gets alerts. */
  readonly sendTestAlert?: boolean;
}

export async function doctorCommand(options: DoctorOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const tell = (check: Check): void => {
    if (options.json !== true) terminal.draw(linesOf(check, terminal.color));
  };
  const examination = new Examination(tell, invocation.signal);
  await examine(options, invocation, examination);
  const { checks } = examination;
  const sound = checks.every(({ verdict }) => verdict !== 'fail');
  if (options.json === true) terminal.out(JSON.stringify({ checks, ok: sound }));
  else terminal.note(summary(checks));
  return sound ? EXIT.done : EXIT.incomplete;
}

/** Each check is run whatever the others found, unless it would only tell of the same. */
async function examine(
  options: DoctorOptions,
  invocation: Invocation,
  examination: Examination,
): Promise<void> {
  const { effects } = invocation;
  const now = effects.now();
  await examination.look('versions', () => versions(invocation.version));
  await examination.look('time zones', timeZones);
  let loaded: Config | undefined;
  await examination.look('settings', () => {
    loaded = invocation.loadConfig();
    return settings(loaded);
  });
  if (loaded === undefined) return;
  const config = loaded;
  const { dataDir } = config;

  await examination.look('keys', () => keys(config));
  const asked = isRehearsal(config) ? undefined : await lookAtService(config, invocation, examination);

  await examination.look('permissions', () => permissions(config));
  const paid = config.exports.budget !== undefined;
  await examination.look('disk', async () => {
    const held = paid ? await largestNight(dataDir, now) : undefined;
    return disk(dataDir, paid ? (held ?? asked) : undefined);
  });
  await examination.look('lock', () => lock(dataDir, now));
  await examination.look('project', async () => {
    await assertSameProject(config);
    return ok(`${dataDir} is for project ${config.projectId ?? '(not set)'}`);
  });
  await examination.look('ledger', () => ledger(config, now));
  await examination.look('warehouse', () => warehouse(dataDir));
  await examination.look('last run', async () => lastRun(dataDir, now, (await lockState(dataDir)).held));
  await examination.look('scheduler', () => scheduler(dataDir, now));
  await examination.look('alerts', () => alerts(config));
  if (options.sendTestAlert === true) {
    await examination.look('test alert', async () =>
      testAlert(await sendTestAlert(config, invocation), config.alerts.length),
    );
  }
  if (config.lake !== undefined) await examination.look('lake', () => lake(config, invocation));
  if (options.deep === true) await lookDeeply(dataDir, examination);
}

/** So many days tell what a night may hold. */
const DAYS = 14;

/** Records of the largest of the last days; undefined where the warehouse does not say. Its damage is told elsewhere. */
async function largestNight(dataDir: string, now: Date): Promise<number | undefined> {
  try {
    const messages = await readPublished(dataFiles(dataDir).published, (published) => published.messages());
    const entries = (await Ledger.read(dataDir)).entries();
    const last = lastCompleteDay(now);
    const days = [...messages.keys()].filter((day) => day > shiftDay(last, -DAYS));
    const estimates = estimateDays(entries, messages, days).candidates.flatMap(
      ({ estimate }) => estimate ?? [],
    );
    return estimates.length === 0 ? undefined : Math.max(...estimates);
  } catch {
    return undefined;
  }
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const NAME_WIDTH = 14;

/** The reason, and below it the remedy. */
function linesOf({ name, verdict, reason, remedy }: Check, colour: boolean): string {
  const mark = verdict.padEnd(4);
  const first = `${colour ? styleText(COLOURS[verdict], mark) : mark}  ${name.padEnd(NAME_WIDTH)}  ${visible(reason)}`;
  return remedy === null ? first : `${first}\n${' '.repeat(NAME_WIDTH + 8)}${visible(remedy)}`;
}

function summary(checks: readonly Check[]): string {
  const count = (wanted: Check['verdict']): number =>
    checks.filter(({ verdict }) => verdict === wanted).length;
  const [warnings, failures] = [count('warn'), count('fail')];
  if (failures > 0) return `${failures} of ${checks.length} checks failed, ${warnings} warned.`;
  return warnings > 0
    ? `No check failed; ${warnings} of ${checks.length} warned.`
    : `All ${checks.length} checks are well.`;
}
