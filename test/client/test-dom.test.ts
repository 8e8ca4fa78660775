import { createMockService } from 'stacks-quota/testing';
import { afterEach, expect, it } from 'vitest';
import { endAll, startChild } from '../support/child.ts';
import { builtEntry } from '../support/programs.ts';

afterEach(endAll);

/** jsdom and happy-dom, as environments of a test runner, replace the classes of events; Electron has those of the browser. */
const PROGRAM = `
globalThis.EventTarget = class {
  addEventListener() {}
  removeEventListener() {}
  dispatchEvent() { return true; }
};
const { createClient } = await import('${builtEntry('stacks-quota')}');
const client = createClient({ apiKey: 'a-key' });
const results = await Promise.all(Array.from({ length: 3 }, () => client.getInfo()));
console.log(results.length);
`;

it('a process in which EventTarget is not that of Node has clients, whose parked calls return', async () => {
  const server = await createMockService({ keys: ['a-key'], keyed: { second: 20 } }).listen();
  const program = [process.execPath, '--input-type=module', '--eval', PROGRAM];
  const { code, out, err } = await startChild(program, { STACKS_API_URL: server.url }).ending;
  await server.close();
  expect({ code, out, err }).toEqual({ code: 0, out: '3\n', err: '' });
});
