import { expect, it } from 'vitest';
import { worldOf } from './support/world.ts';

// A call was given up that had been refused five times, because others that were refused as often had been served meanwhile.
it.each([
  [16, 1],
  [16, 5],
  [40, 'none'],
] as const)(
  'of %i calls of an endpoint with six units a minute that no header names none is given up, though each is refused again and again (retry-after: %s)',
  async (count, retryAfter) => {
    const { clock, client, ask } = worldOf({
      ceilings: { assets: { limit: 6, period: 'minute' } },
      limited: { retryAfter },
    });
    await clock.run(() => client.getInfo());
    const calls = Array.from({ length: count }, (_, number) => ask(number));
    const settled = await clock.run(() => Promise.allSettled(calls));
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([]);
  },
);

it('a call that fails alone is given up after five refusals, also after others that have failed and ended', async () => {
  const { clock, service, ask } = worldOf();
  await clock.run(ask(0));
  service.faults.when(({ url }) => (url.pathname.endsWith('/assets') ? { status: 429 } : undefined));
  for (let time = 0; time < 2; time++) {
    const before = service.requests;
    expect(await clock.run(ask(0).catch((error: Error) => error.name))).toBe('QuotaExhaustedError');
    expect(service.requests - before).toBe(5);
  }
});
