/** A property list for macOS. */
import { resolve } from 'node:path';
import { clock, type TimeOfDay } from '../time-of-day.js';
import { localTime, type Installation } from './installation.js';

export function launchd(at: TimeOfDay, installation: Installation): string {
  const { folder, command } = installation;
  const local = localTime(at, installation);
  const words = command.map((word) => `    <string>${escapeXml(word)}</string>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ~/Library/LaunchAgents/dawnload.plist, then: launchctl bootstrap gui/$UID ~/Library/LaunchAgents/dawnload.plist -->
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
  <!-- local time of this machine; never before ${clock(at)} in Korea. A Mac that was asleep starts the job when it wakes. -->
  <key>StartCalendarInterval</key>
  <dict>
    <key>Hour</key>
    <integer>${local.hour}</integer>
    <key>Minute</key>
    <integer>${local.minute}</integer>
  </dict>
  <key>ProcessType</key>
  <string>Background</string>
  <key>StandardErrorPath</key>
  <string>${escapeXml(resolve(folder, 'dawnload.log'))}</string>
</dict>
</plist>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
