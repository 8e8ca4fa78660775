import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, runProgram } from '../empty-project.ts';
import type { Row } from './row.ts';

/** Tests with the mock, in virtual time and by fake timers. */
const TESTS = `
const limits = { keyless: { second: 5 } };

test('virtual clock', async () => {
  const clock = virtualClock();
  const service = createMockService({ clock, ...limits });
  const client = createClient({ baseUrl: service.origin, fetch: service.fetch, clock });
  await clock.run(Promise.all(Array.from({ length: 20 }, () => client.getInfo())));
  expect([service.limited, service.requests]).toEqual([0, 20]);
});

test('fake timers', async () => {
  jest.useFakeTimers();
  const service = createMockService(limits);
  const client = createClient({ baseUrl: service.origin, fetch: service.fetch });
  const calls = Promise.all(Array.from({ length: 20 }, () => client.getInfo()));
  await jest.runAllTimersAsync();
  await calls;
  expect([service.limited, service.requests]).toEqual([0, 20]);
});
`;

const IMPORTS = `
import { jest } from '@jest/globals';
import { createClient } from 'stacks-quota';
import { createMockService, virtualClock } from 'stacks-quota/testing';
`;

const REQUIRES = `
const { createClient } = require('stacks-quota');
const { createMockService, virtualClock } = require('stacks-quota/testing');
`;

/** Runs tests in Jest, in an ES module and in CommonJS. Both need Node's modules for virtual machines. */
export async function tryJest(project: { home: string; tarball: string }): Promise<Row> {
  const folder = createProject({ home: project.home, name: 'jest', packages: [project.tarball, 'jest@30'] });
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify({ testMatch: ['**/*.test.?js'] }));
  writeFileSync(join(folder, 'module.test.mjs'), IMPORTS + TESTS);
  writeFileSync(join(folder, 'common.test.cjs'), REQUIRES + TESTS);
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/jest/package.json'), 'utf8'));
  const args = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--json', '--silent'];
  const report = JSON.parse(
    await runProgram(folder, process.execPath, args).catch((error: { stdout?: string }) => error.stdout || '{}'),
  ) as { numPassedTests?: number };
  const passed = report.numPassedTests ?? 0;
  const ways = `\`import\`, \`require\`, Node ${process.versions.node}`;
  return { runtime: 'Jest', version, ways, result: `${passed} of 4 tests passed`, isRight: passed === 4 };
}
