import { defineConfig } from 'vitest/config';
import { FileSequencer } from './packages/server/test/support/file-sequencer.ts';
import { patienceMs } from './packages/server/test/support/patience.ts';
import {
  bundleEnvironment,
  runBundledPrograms,
} from './packages/server/test/support/run-bundled-programs.ts';

const house = 'packages/server/test/house/*.test.ts';

export default defineConfig({
  plugins: [runBundledPrograms],
  test: {
    pool: 'forks',
    // The files of a worker share what they import: loading it for each took as much time as the tests.
    isolate: false,
    // More than there are cores: much of the time is spent waiting, for leases, restarts and time limits.
    maxWorkers: 7,
    // These end what hangs and judge no speed: on a busy machine everything may take many times as long.
    testTimeout: 480_000,
    hookTimeout: 480_000,
    expect: { poll: { timeout: patienceMs } },
    env: bundleEnvironment,
    // In the past: ids never go back, so those made later in the same worker would be ahead of the real clock.
    fakeTimers: { now: Date.parse('2020-01-01') },
    retry: 0,
    dangerouslyIgnoreUnhandledErrors: false,
    // Tests that need each other's order are found by chance, soon. The seed is printed; --sequence.seed repeats it.
    sequence: { shuffle: true, sequencer: FileSequencer },
    projects: [
      // Reads the sources only, so it needs no database: npm run check runs it alone.
      { extends: true, test: { name: 'house', include: [house] } },
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'bench/**/*.test.ts'],
          globalSetup: 'packages/server/test/support/global-setup.ts',
          exclude: [house, '**/node_modules/**'],
        },
      },
    ],
  },
});
