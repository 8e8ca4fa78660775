import { readFileSync } from 'node:fs';
import { createClient } from 'stacks-quota';
import { createMockService, virtualClock } from 'stacks-quota/testing';
import { expect, it } from 'vitest';
import { readSettings } from '../../src/options/client-options.ts';
import { VERSION } from '../../src/version.ts';

function world() {
  const clock = virtualClock();
  const service = createMockService({ clock });
  const agents: (string | null)[] = [];
  service.faults.when(({ headers }) => {
    agents.push(headers.get('user-agent'));
    return undefined;
  });
  return { clock, agents, client: createClient({ baseUrl: service.origin, fetch: service.fetch, clock }) };
}

it('the version is that of the package', () => {
  expect(VERSION).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
});

it('every request names this package and its version', async () => {
  const { clock, agents, client } = world();
  await clock.run(client.getInfo());
  await clock.run(client.getInfo({ headersOnly: true }));
  await clock.run(client.fetch('/extended/v1/info'));
  expect(agents).toEqual(Array(3).fill(`stacks-quota/${VERSION}`));
});

it('the caller may name another program, in whatever letters', async () => {
  const { clock, agents, client } = world();
  await clock.run(client.getInfo({ headers: { 'User-Agent': 'my-backend/2' } }));
  await clock.run(client.fetch('/extended/v1/info', { headers: { 'user-agent': 'my-backend/3' } }));
  expect(agents).toEqual(['my-backend/2', 'my-backend/3']);
});

it('in a browser the request names the browser', () => {
  expect(readSettings({}, { browser: true, variables: {} }).userAgent).toBeUndefined();
  expect(readSettings({}, { browser: false, variables: {} }).userAgent).toBe(`stacks-quota/${VERSION}`);
});
