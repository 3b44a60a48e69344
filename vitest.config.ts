import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whole runs take longest, however short their files are. They go first, so that all processors end together. */
const LONGEST =
  /^test\/((torture|e2e|readers\/(report|explore)|lake|reference|doctor|night|push|streams|alerts)\/|readers\/queries\/(world|command)|exports\/(whole|recovery)|erasure\/forget|warehouse\/(checks|experiments|removed-days))/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.test(relative('.', moduleId));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    tags: [
      {
        name: 'long',
        description: 'Whole runs, faults, kills and many seeds: `npm run test:long` runs them.',
      },
      {
        name: 'extended',
        description:
          'Samples of what `npm run torture`, `npm run lives` or other tests do: `npm run test:all` runs them; a change need not pass them first.',
      },
    ],
    coverage: { include: ['src/**', 'jobs/**'], reporter: ['text'] },
    globalSetup: ['test/support/template.ts'],
    // Nothing may depend on the machine being in Korea: the suite runs in a zone with daylight saving.
    env: { TZ: 'America/New_York' },
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Files of one process share what they import, which takes longer to load than many of them to run.
    isolate: false,
    // Half of the time goes into waiting for child processes and disks: all processors, not all but one.
    maxWorkers: '100%',
  },
});
