/** A workflow for a runner of one's own. */
import { clock, type TimeOfDay } from '../time-of-day.js';
import { quoteShell } from '../../terminal/quote-shell.js';
import type { Installation } from './installation.js';

/** Korea is nine hours ahead of UTC, all year. */
const AHEAD_HOURS = 9;

export function githubActions(at: TimeOfDay, { command, folder }: Installation): string {
  const hour = (at.hour + 24 - AHEAD_HOURS) % 24;
  // Two braces after a dollar would begin an expression of the workflow.
  const words = (line: string): string => line.replaceAll('${{', "${{ '${{' }}");
  return `# .github/workflows/dawnload.yml
#
# This cron drifts. It knows only UTC: ${String(hour).padStart(2, '0')}:${String(at.minute).padStart(2, '0')} is ${clock(at)} in Korea. It starts late when many workflows are due,
# by minutes to more than an hour, and sometimes not at all. It is switched off after 60 days without a commit to a public
# repository. A late run is harmless, a missing one is made up by the next; for a time that holds, use systemd or cron.
#
# It runs on a machine of yours, which keeps the data folder on its disk: artifacts and caches are no storage for a
# warehouse. They expire, and without the ledger of the data folder a run would pay for every export again.
name: dawnload
on:
  schedule:
    - cron: "${at.minute} ${hour} * * *"
  workflow_dispatch:
permissions: {}
concurrency:
  group: dawnload
  cancel-in-progress: false
jobs:
  night:
    runs-on: self-hosted
    timeout-minutes: 360
    env:
      DAWNLOAD_ACCESS_KEY: \${{ secrets.DAWNLOAD_ACCESS_KEY }}
      DAWNLOAD_SECRET_KEY: \${{ secrets.DAWNLOAD_SECRET_KEY }}
    steps:
      - name: Run the nightly job
        run: |
          cd ${words(quoteShell(folder))}
          ${words(command.map(quoteShell).join(' '))}`;
}
