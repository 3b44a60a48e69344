import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    tags: [
      {
        name: 'long',
        description: 'Whole runs, faults, kills and many seeds: `npm run test:all` runs them too.',
      },
    ],
    coverage: { include: ['src/**', 'jobs/**'], reporter: ['text'] },
    globalSetup: ['test/support/template.ts'],
    // Nothing may depend on the machine being in Korea: the suite runs in a zone with daylight saving.
    env: { TZ: 'America/New_York' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Files of one process share what they import, which takes longer to load than many of them to run.
    isolate: false,
    // Half of the time goes into waiting for child processes and disks: all processors, not all but one.
    maxWorkers: '100%',
  },
});
