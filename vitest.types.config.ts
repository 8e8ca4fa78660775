import { defineConfig } from 'vitest/config';

/** The tests of types: the compiler checks them, and nothing runs. */
export default defineConfig({
  test: {
    include: [],
    typecheck: { enabled: true, only: true, include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
  },
});
