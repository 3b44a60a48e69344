/** The nightly job as configuration for the schedulers that machines have. Pure, given the installation. */
import type { TimeOfDay } from '../time-of-day.js';
import { crontab } from './cron.js';
import { githubActions } from './github-actions.js';
import type { Installation } from './installation.js';
import { kubernetes } from './kubernetes.js';
import { launchd } from './launchd.js';
import { systemd } from './systemd.js';

const PRINTERS = {
  systemd,
  cron: crontab,
  k8s: kubernetes,
  launchd,
  'github-actions': githubActions,
} as const satisfies Record<string, (at: TimeOfDay, installation: Installation) => string>;

export type Scheduler = keyof typeof PRINTERS;

export const SCHEDULERS: readonly string[] = Object.keys(PRINTERS);

export function isScheduler(name: string): name is Scheduler {
  return SCHEDULERS.includes(name);
}

export function printSchedule(kind: Scheduler, at: TimeOfDay, installation: Installation): string {
  return PRINTERS[kind](at, installation);
}
