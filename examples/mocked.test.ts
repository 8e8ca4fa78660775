/** How to test code that uses the client: no request leaves the process, and no test waits in real time. */
import { setupServer } from 'msw/node';
import { createClient, isQuotaExhausted } from 'stacks-quota';
import { createMockService, virtualClock } from 'stacks-quota/testing';
import { handlers } from 'stacks-quota/testing/msw';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ADDRESS = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';

const service = createMockService({ assetsOf: () => 3 });
const server = setupServer(...handlers(service));
beforeAll(() => server.listen({ onUnhandledFrame: 'error' })); // in MSW 2: onUnhandledRequest
afterAll(() => server.close());

test('an account has the assets that the mock gives it', async () => {
  const client = createClient({ baseUrl: service.origin });
  const { data, quota } = await client.getAddressAssets(ADDRESS);
  expect(data.total).toBe(3);
  expect(quota.stacks.minute).toEqual({ limit: 50, remaining: 49 });
});

test('three hundred calls keep to 250 a minute, and the test waits for none of it', async () => {
  const clock = virtualClock();
  const { origin: baseUrl, fetch, ...mock } = createMockService({ clock, keyless: { minute: 250 } });
  const client = createClient({ baseUrl, fetch, clock });
  await clock.run(Promise.all(Array.from({ length: 300 }, () => client.getAddressAssets(ADDRESS))));
  expect(clock.now()).toBeGreaterThan(60_000);
  expect(mock.log.filter(({ limited }) => limited)).toEqual([]);
});

test('when the month is exhausted, the caller is told at once when the next one begins', async () => {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 10) });
  const { origin: baseUrl, fetch } = createMockService({ clock, keyless: { month: 2 } });
  const client = createClient({ baseUrl, fetch, clock });
  const calls = [1, 2, 3].map(() => client.getAddressAssets(ADDRESS));
  const [, , third] = await clock.run(Promise.allSettled(calls));
  const error = third?.status === 'rejected' ? third.reason : undefined;
  expect(isQuotaExhausted(error) && error.retryAt.toISOString()).toMatch(/^2026-02-01T00:0/);
  expect(clock.now()).toBe(0);
});
