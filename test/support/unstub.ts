import { afterAll, vi } from 'vitest';

// The config undoes stubs before each test, and so not before what the next file of the same process does while its tests are collected.
afterAll(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
