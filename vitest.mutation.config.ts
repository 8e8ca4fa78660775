import { defineConfig } from 'vitest/config';

/** The tests of one room alone, for `scripts/mutation.ts`: each mistake that it plants is for the room's own tests to find. */
export default defineConfig({
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(','),
    // What explores small worlds in full takes minutes where each branch is counted.
    exclude: ['test/quota/{interleavings,efficiency}.test.ts', 'test/sharing/{explore,fleet,trips}.test.ts'],
    isolate: false,
    setupFiles: ['test/support/properties.ts'],
    testTimeout: 60_000,
    restoreMocks: true,
  },
});
