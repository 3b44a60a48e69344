/** A service and a timer for systemd. */
import { resolve, sep } from 'node:path';
import { NIGHTLY } from '../../../jobs/nightly.js';
import { EXIT } from '../../errors.js';
import { clock, type TimeOfDay } from '../time-of-day.js';
import { quoteShell } from '../../terminal/quote-shell.js';
import type { Installation } from './installation.js';

const STATE = '/var/lib/dawnload';

/** systemd knows one pause; the growing ones begin with less and end with more. */
const PAUSE_MINUTES = 30;

export function systemd(at: TimeOfDay, { command, folder, user, ...installation }: Installation): string {
  const dataDir = installation.dataDir();
  const times = NIGHTLY.retryPausesMinutes.length;
  const account = user === 'root' ? 'dawnload' : user;
  const inState = isIn(dataDir, STATE);
  return `# /etc/systemd/system/dawnload.service
[Unit]
Description=Dawnload: last night's messaging statistics and events into DuckDB
Wants=network-online.target
After=network-online.target
# After ${times + 1} attempts in a row the unit has failed until the next night; OnFailure= can report it.
StartLimitIntervalSec=${(times + 1) * (PAUSE_MINUTES + 60)}min
StartLimitBurst=${times + 1}

[Service]
Type=oneshot
ExecStart=${commandLineOf(command)}
# DAWNLOAD_ACCESS_KEY=… and DAWNLOAD_SECRET_KEY=…, for root alone (0600). Without it, .env beside dawnload.yaml is read.
EnvironmentFile=-/etc/dawnload/dawnload.env
# ${EXIT.refused}: only budget or consent is lacking. ${EXIT.incomplete} and ${EXIT.tryLater} are tried again.
SuccessExitStatus=${EXIT.refused}
Restart=on-failure
RestartSec=${PAUSE_MINUTES}min
RestartPreventExitStatus=${EXIT.usage}
# After SIGTERM the current step is completed; a paid request may take its full timeout.
TimeoutStopSec=2min

# An account of its own, and a folder of its own in /var/lib.
User=${quotePath(account)}
StateDirectory=dawnload
StateDirectoryMode=0755
WorkingDirectory=%S/dawnload
${
  inState
    ? '# The data folder is there.'
    : `# The data folder. With data_dir: ${STATE} in dawnload.yaml (move the data there first: the ledger in it knows what is
# paid) this line can go.
ReadWritePaths=${quotePath(`-${dataDir}`)}`
}
UMask=0027

# Everything else of the machine can only be read, or not be seen.
ProtectSystem=strict
ProtectHome=${[...command, folder, dataDir].some(isHome) ? 'read-only' : 'yes'}
PrivateTmp=yes
PrivateDevices=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
# Not MemoryDenyWriteExecute=: Node compiles as it runs.

# /etc/systemd/system/dawnload.timer
[Unit]
Description=Dawnload, every night once yesterday is complete in Korea

[Timer]
OnCalendar=*-*-* ${clock(at)}:00 ${NIGHTLY.zone}
# A machine that was off starts the job when it is on again.
Persistent=true
RandomizedDelaySec=5min

[Install]
WantedBy=timers.target

# then: ${user === 'root' ? `useradd --system ${account}; ` : ''}${inState ? '' : `install -d -o ${quoteShell(account)} ${quoteShell(dataDir)}; `}systemctl daemon-reload && systemctl enable --now dawnload.timer`;
}

function isIn(path: string, folder: string): boolean {
  return path === folder || resolve(path).startsWith(folder + sep);
}

function isHome(path: string): boolean {
  return ['/home', '/root', '/run/user'].some((folder) => isIn(path, folder));
}

/** The program itself may have a name with spaces, but not with quotes or a dollar: then `env` starts it. */
function commandLineOf([program = '', ...words]: readonly string[]): string {
  return /["'\\$]/.test(program)
    ? ['/usr/bin/env', ...[program, ...words].map(quoteCommand)].join(' ')
    : [quotePath(program), ...words.map(quoteCommand)].join(' ');
}

/** A word of a command line, where systemd would expand `%` and `$`. */
function quoteCommand(word: string): string {
  return quotePath(word.replaceAll('$', '$$$$'));
}

/** A word in which systemd would expand `%`. */
function quotePath(word: string): string {
  const safe = word.replaceAll('%', '%%');
  return /[\s"'\\]/.test(safe) ? `"${safe.replace(/(["\\])/g, '\\$1')}"` : safe;
}
