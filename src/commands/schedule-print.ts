/** The nightly job as configuration for a machine's scheduler. Pure, except for the paths of this installation. */
import { dirname, resolve } from 'node:path';
import { getTimezoneOffset } from 'date-fns-tz/getTimezoneOffset';
import { NIGHTLY } from '../../jobs/nightly.js';
import { packageVersion } from '../package.js';
import { clock, type TimeOfDay } from './time-of-day.js';
import { commandLine } from './self.js';

export const SCHEDULERS = ['systemd', 'cron', 'k8s', 'launchd'] as const;
export type Scheduler = (typeof SCHEDULERS)[number];

export function printSchedule(
  kind: Scheduler,
  at: TimeOfDay,
  configFlag: string | undefined,
  now: Date,
): string {
  const config = resolve(configFlag ?? 'dawnload.yaml');
  const folder = dirname(config);
  const command = commandLine('run', { config });
  const local = localTime(at, now);
  switch (kind) {
    case 'systemd':
      return systemd(at, folder, command);
    case 'cron':
      return crontab(at, local, folder, command);
    case 'k8s':
      return kubernetes(at);
    case 'launchd':
      return launchd(local, folder, command);
  }
}

/**
 * The time of day on this machine that is never before `at` in Korea. Where clocks change, that is the later of the two
 * candidates: an hour late in one half of the year rather than an hour too early in the other.
 */
function localTime({ hour, minute }: TimeOfDay, now: Date): TimeOfDay {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const year = now.getUTCFullYear();
  const ahead = Math.max(
    ...[0, 6].map((month) => {
      const day = new Date(Date.UTC(year, month, 1));
      return getTimezoneOffset(zone, day) - getTimezoneOffset(NIGHTLY.zone, day);
    }),
  );
  const minutes = (((hour * 60 + minute + ahead / 60_000) % 1440) + 1440) % 1440;
  return { hour: Math.floor(minutes / 60), minute: minutes % 60 };
}

function systemd(at: TimeOfDay, folder: string, command: readonly string[]): string {
  return `# /etc/systemd/system/dawnload.service
[Unit]
Description=Dawnload: last night's messaging statistics and events into DuckDB
Wants=network-online.target
After=network-online.target
# After ${NIGHTLY.retry.times + 1} attempts in a row the unit has failed until the next night; OnFailure= can report it.
StartLimitIntervalSec=${(NIGHTLY.retry.times + 1) * (NIGHTLY.retry.pauseMinutes + 60)}min
StartLimitBurst=${NIGHTLY.retry.times + 1}

[Service]
Type=oneshot
WorkingDirectory=${folder.replaceAll('%', '%%')}
ExecStart=${command.map(quoteUnit).join(' ')}
# 3: only budget or consent is lacking. 1 and 75 are tried again.
SuccessExitStatus=3
Restart=on-failure
RestartSec=${NIGHTLY.retry.pauseMinutes}min
RestartPreventExitStatus=2
# After SIGTERM the current step is completed; a paid request may take its full timeout.
TimeoutStopSec=2min
UMask=0027

# /etc/systemd/system/dawnload.timer
[Unit]
Description=Dawnload, every night once yesterday is complete in Korea

[Timer]
OnCalendar=*-*-* ${clock(at)}:00 ${NIGHTLY.zone}
Persistent=true
RandomizedDelaySec=5min

[Install]
WantedBy=timers.target

# then: systemctl daemon-reload && systemctl enable --now dawnload.timer`;
}

function crontab(at: TimeOfDay, local: TimeOfDay, folder: string, command: readonly string[]): string {
  const job = `cd ${quoteShell(folder)} && ${command.map(quoteShell).join(' ')}`.replaceAll('%', '\\%');
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `# crontab -e
# This machine's cron uses its own time zone (${zone}); ${clock(local)} here is never before ${clock(at)} in Korea.
${local.minute} ${local.hour} * * * ${job}

# A cron that supports CRON_TZ (cronie: Fedora, RHEL, Arch) can use Korean time instead:
# CRON_TZ=${NIGHTLY.zone}
# ${at.minute} ${at.hour} * * * ${job}`;
}

function kubernetes(at: TimeOfDay): string {
  return `# kubectl apply -f -
# Build your own image with Node and \`npm install --global dawnload@${packageVersion()}\` (or the tarball of \`npm pack\`).
apiVersion: batch/v1
kind: CronJob
metadata:
  name: dawnload
spec:
  schedule: "${at.minute} ${at.hour} * * *"
  timeZone: ${NIGHTLY.zone}
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 3600
  jobTemplate:
    spec:
      backoffLimit: ${NIGHTLY.retry.times}
      template:
        spec:
          restartPolicy: OnFailure
          terminationGracePeriodSeconds: 120
          containers:
            - name: dawnload
              image: your-registry/dawnload:${packageVersion()}
              command: ["dawnload", "run", "--config", "/etc/dawnload/dawnload.yaml", "--data-dir", "/data"]
              envFrom:
                - secretRef:
                    name: dawnload   # DAWNLOAD_ACCESS_KEY, DAWNLOAD_SECRET_KEY
              volumeMounts:
                - { name: config, mountPath: /etc/dawnload }
                - { name: data, mountPath: /data }
          volumes:
            - name: config
              configMap: { name: dawnload }
            - name: data
              persistentVolumeClaim: { claimName: dawnload }   # ReadWriteOnce: one run, one writer`;
}

function launchd(local: TimeOfDay, folder: string, command: readonly string[]): string {
  const words = command.map((word) => `    <string>${escapeXml(word)}</string>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ~/Library/LaunchAgents/dawnload.plist, then: launchctl load ~/Library/LaunchAgents/dawnload.plist -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>dawnload</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>WorkingDirectory</key>
  <string>${escapeXml(folder)}</string>
  <!-- local time of this machine; never before 07:00 in Korea -->
  <key>StartCalendarInterval</key>
  <dict>
    <key>Hour</key>
    <integer>${local.hour}</integer>
    <key>Minute</key>
    <integer>${local.minute}</integer>
  </dict>
  <key>StandardErrorPath</key>
  <string>${escapeXml(resolve(folder, 'dawnload.log'))}</string>
</dict>
</plist>`;
}

/** Escapes `%` and `$`, which systemd would expand. */
function quoteUnit(word: string): string {
  const safe = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"\\]/.test(safe) ? `"${safe.replace(/(["\\])/g, '\\$1')}"` : safe;
}

function quoteShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
