import { expect, it } from 'vitest';
import { worldOf } from './support/world.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

// A call was given up that had been refused five times, because others that were refused as often had been served meanwhile.
it.each([
  [16, 1],
  [16, 5],
  [40, 'none'],
] as const)(
  'of %i calls of an endpoint with six units a minute that no header names none is given up, though each is refused again and again (retry-after: %s)',
  async (count, retryAfter) => {
    const { clock, client } = worldOf({
      ceilings: { assets: { limit: 6, period: 'minute' } },
      limited: { retryAfter },
    });
    await clock.run(() => client.getInfo());
    const calls = Array.from({ length: count }, () => client.getAddressAssets(ADDRESS));
    const settled = await clock.run(() => Promise.allSettled(calls));
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([]);
  },
);
