/** Tries the examples and the command line as their tests do, but as they are built instead of from the source. */
import { spawnSync } from 'node:child_process';

const EXAMPLES = ['bulk-assets', 'backend', 'prometheus', 'cluster'].map((name) => `test/examples/${name}`);
const PROGRAM = 'test/cli/process';

// The report of `npm test` stays as it is: CI counts from it.
const { status } = spawnSync('vitest', ['run', ...EXAMPLES, PROGRAM, '--reporter=default'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, EXAMPLES: 'built' },
});
process.exit(status ?? 1);
