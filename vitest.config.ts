import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Nothing may depend on the machine being in Korea: the suite runs in a zone with daylight saving.
    env: { TZ: 'America/New_York' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});
