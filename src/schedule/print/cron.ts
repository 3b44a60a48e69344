/** A line of a crontab. */
import { NIGHTLY } from '../../../jobs/nightly.js';
import { clock, type TimeOfDay } from '../time-of-day.js';
import { quoteShell } from '../../terminal/quote-shell.js';
import { localTime, type Installation } from './installation.js';

export function crontab(at: TimeOfDay, installation: Installation): string {
  const { folder, command, zone } = installation;
  const local = localTime(at, installation);
  const job = `cd ${quoteShell(folder)} && ${command.map(quoteShell).join(' ')}`.replaceAll('%', '\\%');
  return `# crontab -e
# This machine's cron uses its own time zone (${zone}); ${clock(local)} here is never before ${clock(at)} in Korea.
# Cron skips the nights of a machine that is off, and tries nothing again: the next run fetches what is missing.
${local.minute} ${local.hour} * * * ${job}

# A cron that supports CRON_TZ (cronie: Fedora, RHEL, Arch) can use Korean time instead. Debian's cron does not: it would
# start this line at ${clock(at)} of its own zone.
# CRON_TZ=${NIGHTLY.zone}
# ${at.minute} ${at.hour} * * * ${job}`;
}
