import { describe, expect, it, vi } from 'vitest';
import { Failure, KEY_CHANGED } from '../../src/http/failure.ts';
import { KeyBreaker } from '../../src/http/key-breaker.ts';
import { createKeyRing } from '../../src/http/key-ring.ts';
import { createTransport } from '../../src/http/transport.ts';
import { answering, type Fetch, failureOf, INFO, never, ORIGIN } from './support/transport.ts';

it('a request for a key that the ring has forgotten is not sent, rather than sent without a key', async () => {
  const fetch = vi.fn<Fetch>(async () => new Response());
  const work = answering(fetch).send({ method: 'GET', url: INFO.href }, never, undefined, () => 99);
  expect(await failureOf(work)).toMatchObject({ code: KEY_CHANGED, isUnsent: true });
  expect(fetch).not.toHaveBeenCalled();
});

describe('the breaker of a key', () => {
  const KEY = 'k3y/of/32-characters-0123456789az';

  /** How many of ten requests are sent, each answered like this. */
  async function sentOf(status: number, headers: Record<string, string> = {}, keys = createKeyRing(() => KEY)) {
    const fetch = vi.fn<Fetch>(async () => new Response(null, { status, headers }));
    const keyBreaker = new KeyBreaker({ now: () => 0 });
    const transport = createTransport({ origin: ORIGIN, keys, fetch, keyBreaker });
    const codes = new Set<string>();
    for (let request = 0; request < 10; request++) {
      const work = transport.send({ method: 'GET', url: INFO.href }, never);
      await work.catch((error: unknown) =>
        codes.add(error instanceof Failure && error.isUnsent ? error.code : 'other'),
      );
    }
    return { sent: fetch.mock.calls.length, codes: [...codes] };
  }

  it.each([401, 403])('lets no more than five requests go that are answered with %i in a row', async (status) => {
    expect(await sentOf(status)).toEqual({ sent: 5, codes: ['KEY_REFUSED'] });
  });

  it('does not open for a 403 that speaks of a limit, as the headers of a full window or a retry-after do', async () => {
    const full = { 'x-ratelimit-limit-stacks-minute': '500', 'x-ratelimit-remaining-stacks-minute': '0' };
    for (const headers of [full, { 'retry-after': '7' }]) expect((await sentOf(403, headers)).sent).toBe(10);
  });

  it('opens for a 401 all the same', async () => {
    expect((await sentOf(401, { 'retry-after': '7' })).sent).toBe(5);
  });

  it('has nothing to say of requests without a key', async () => {
    expect(
      (
        await sentOf(
          401,
          {},
          createKeyRing(() => undefined),
        )
      ).sent,
    ).toBe(10);
  });
});
