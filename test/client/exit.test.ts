import { createMockService, type ListeningService } from 'stacks-quota/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endAll, startChild } from '../support/child.ts';
import { builtEntry } from '../support/programs.ts';

/** Has one call of two wait for the next day, and tells whether that keeps the process alive. */
const programWith = (clock: string): string => `
import * as all from '${builtEntry('stacks-quota')}';
const client = all.createClient({ baseUrl: process.env.STACKS_API_URL, clock: all.${clock}, maxWaitMs: Infinity });
await client.getInfo();
client.getInfo();
setTimeout(() => { console.log('alive'); process.exit(); }, 500).unref();
`;

describe('a process in which a call waits', () => {
  let server: ListeningService;

  beforeEach(async () => {
    server = await createMockService({ keyless: { day: 1 } }).listen();
  });
  afterEach(async () => {
    await endAll();
    await server.close();
  });

  it.for([
    ['systemClock', 'alive\n'],
    ['backgroundClock', ''],
  ] as const)('of a client with the %s says when it ends: %j', async ([clock, out]) => {
    const program = [process.execPath, '--input-type=module', '--eval', programWith(clock)];
    const child = startChild(program, { STACKS_API_URL: server.url });
    expect(await child.ending).toEqual({ code: 0, out, err: '' });
  });
});
