/** Tries the examples as their tests do, but against the built package instead of its source. */
import { spawnSync } from 'node:child_process';

const EXAMPLES = ['bulk-assets', 'backend', 'quota', 'cluster'].map((name) => `test/examples/${name}`);

// The report of `npm test` stays as it is: CI counts from it.
const { status } = spawnSync('vitest', ['run', ...EXAMPLES, '--reporter=default'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, EXAMPLES: 'built' },
});
process.exit(status ?? 1);
