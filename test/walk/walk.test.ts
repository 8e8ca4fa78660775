import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  type AssetEvent,
  type Client,
  isResponseShape,
  type WalkCheckpoint,
  type WalkOptions,
} from '../../src/index.ts';
import type { MockService, VirtualClock } from '../../src/testing/index.ts';
import { mockWorld } from '../support/mock-world.ts';

const ADDRESS = 'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK';
const OTHER = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';

interface World {
  readonly clock: VirtualClock;
  readonly service: MockService;
  readonly client: Client;
  /** How many events the address has; a test may change it at any time. */
  count: number;
  /** The queries of the requests so far. */
  readonly queries: () => string[];
}

function world(count: number): World {
  const { clock, service, client } = mockWorld(
    { keyless: { second: 50 }, assetsOf: () => made.count },
    { maxAttempts: 1 },
  );
  const queries = (): string[] => service.log.map(({ path }) => path.split('?')[1] ?? '');
  const made: World = { clock, service, client, count, queries };
  return made;
}

const keyOf = ({ tx_id, event_index }: AssetEvent): string => `${tx_id}:${event_index}`;

/** All events that the address has now, from the latest on. */
async function all({ service, count }: World): Promise<string[]> {
  const keys: string[] = [];
  for (let offset = 0; offset < count; offset += 100) {
    const url = new URL(`${service.origin}/extended/v1/address/${ADDRESS}/assets?limit=100&offset=${offset}`);
    const { results } = JSON.parse(String(service.answer({ method: 'GET', url, headers: new Headers() }).body()));
    keys.push(...results.map(keyOf));
  }
  service.forget();
  service.clearLog();
  return keys;
}

/** Walks until `most` events were seen, and tells of each as it comes. */
async function walked(
  walk: AsyncIterable<AssetEvent>,
  most = Infinity,
  onEvent: (nth: number) => void = () => {},
): Promise<string[]> {
  const keys: string[] = [];
  for await (const event of walk) {
    keys.push(keyOf(event));
    onEvent(keys.length);
    if (keys.length >= most) break;
  }
  return keys;
}

describe('a walk', () => {
  it.for([0, 1, 99, 100, 101, 250])('sees all of %i events, from the latest on', async (count) => {
    const one = world(count);
    const expected = await all(one);
    expect(await one.clock.run(walked(one.client.walkAddressAssets(ADDRESS)))).toEqual(expected);
    expect(new Set(expected).size).toBe(count);
  });

  it('asks for as few pages as it can, each from the last event of the one before', async () => {
    const one = world(250);
    await one.clock.run(walked(one.client.walkAddressAssets(ADDRESS)));
    expect(one.queries()).toEqual(['limit=100&offset=0', 'limit=100&offset=99', 'limit=100&offset=198']);
  });

  it('asks for a page only when its first event is wanted: a loop that is left costs no page more', async () => {
    const one = world(250);
    expect(await one.clock.run(walked(one.client.walkAddressAssets(ADDRESS), 100))).toHaveLength(100);
    expect(one.service.requests).toBe(1);
  });

  it('asks for nothing before it is begun, and not again when it has come to its end', async () => {
    const one = world(10);
    const walk = one.client.walkAddressAssets(ADDRESS);
    expect(one.service.requests).toBe(0);
    await one.clock.run(walked(walk));
    expect(await one.clock.run(walked(walk))).toEqual([]);
    expect(one.service.requests).toBe(1);
  });

  it('continues in a second loop where the first was left', async () => {
    const one = world(130);
    const expected = await all(one);
    const walk = one.client.walkAddressAssets(ADDRESS, { limit: 50 });
    const keys = await one.clock.run(walked(walk, 70));
    expect([...keys, ...(await one.clock.run(walked(walk)))]).toEqual(expected);
  });

  it('goes page by page where that is wanted, with what each page said of the quota', async () => {
    const one = world(130);
    const expected = await all(one);
    const pages = await one.clock.run(async () => {
      const seen = [];
      for await (const page of one.client.walkAddressAssets(ADDRESS, { limit: 50 }).pages()) seen.push(page);
      return seen;
    });
    expect(pages.map(({ events, total }) => [events.length, total])).toEqual([
      [50, 130],
      [49, 130],
      [31, 130],
    ]);
    expect(pages.flatMap(({ events }) => events.map(keyOf))).toEqual(expected);
    expect(pages.at(-1)?.quota.stacks.second?.remaining).toBe(47);
  });

  it('passes its options on to every request', async () => {
    const one = world(30);
    const options = { limit: 20, untilBlock: 5, priority: 3, headers: { 'x-mine': 'yes' } };
    const seen: (string | null)[] = [];
    one.service.faults.when(({ headers }) => void seen.push(headers.get('x-mine')));
    await one.clock.run(walked(one.client.walkAddressAssets(ADDRESS, options)));
    expect(one.queries()).toEqual(['limit=20&offset=0&until_block=5', 'limit=20&offset=19&until_block=5']);
    expect(seen).toEqual(['yes', 'yes']);
  });
});

describe('a walk while the history changes', () => {
  it('sees no event twice though new ones push the others back', async () => {
    const one = world(250);
    const expected = await all(one);
    const keys = await one.clock.run(
      walked(one.client.walkAddressAssets(ADDRESS), Infinity, (nth) => {
        if (nth % 10 === 0) one.count++;
      }),
    );
    expect(keys).toEqual(expected);
  });

  it('finds its place again where more have come than a page holds, in one request more', async () => {
    const one = world(250);
    const expected = await all(one);
    const keys = await one.clock.run(
      walked(one.client.walkAddressAssets(ADDRESS), Infinity, (nth) => {
        if (nth === 150) one.count += 1_000;
      }),
    );
    expect(keys).toEqual(expected);
    expect(one.queries().map((query) => Number(query.split('offset=')[1]))).toEqual([0, 99, 198, 1198]);
  });

  it('leaves no event out where a reorganisation takes some of the latest away', async () => {
    const one = world(250);
    const expected = await all(one);
    const keys = await one.clock.run(
      walked(one.client.walkAddressAssets(ADDRESS), Infinity, (nth) => {
        if (nth === 100) one.count -= 30;
      }),
    );
    expect(keys).toEqual(expected);
  });

  it('does not take a page past the end, whose total is 0, for the end of the walk', async () => {
    const one = world(150);
    const expected = await all(one);
    const keys = await one.clock.run(
      walked(one.client.walkAddressAssets(ADDRESS), Infinity, (nth) => {
        if (nth === 100) one.count -= 60;
      }),
    );
    expect(keys).toEqual(expected);
    expect(one.queries().map((query) => Number(query.split('offset=')[1]))).toEqual([0, 99, 0]);
  });

  it('does not take a page for the last because the service gives less at a time than it was asked for', async () => {
    const one = world(0);
    const events = Array.from({ length: 25 }, (_, index) => ({
      tx_id: `0x${index}`,
      event_index: 0,
      event_type: 'new',
    }));
    one.service.faults.when(({ url }) => {
      const offset = Number(url.searchParams.get('offset'));
      const results = events.slice(offset, offset + 10);
      return { status: 200, body: JSON.stringify({ limit: 10, offset, total: 25, results }) };
    });
    const keys = await one.clock.run(walked(one.client.walkAddressAssets(ADDRESS)));
    expect(keys).toEqual(events.map(({ tx_id }) => `${tx_id}:0`));
  });
});

describe('a walk that is taken up again', () => {
  it.for([0, 1, 37, 50, 130])(
    'sees the rest after %i events, from a checkpoint that went through JSON',
    async (most) => {
      const one = world(130);
      const expected = await all(one);
      const first = one.client.walkAddressAssets(ADDRESS, { limit: 50 });
      const begun = most === 0 ? [] : await one.clock.run(walked(first, most));
      const from: WalkCheckpoint = JSON.parse(JSON.stringify(first.checkpoint));
      one.count += 70;
      const rest = await one.clock.run(walked(one.client.walkAddressAssets(ADDRESS, { from })));
      if (most > 0) expect([...begun, ...rest]).toEqual(expected);
      else expect(rest.slice(70)).toEqual(expected);
      expect(from.isOver).toBe(most === 130);
    },
  );

  it('has a checkpoint of a few events, however many were seen', async () => {
    const one = world(1_000);
    const walk = one.client.walkAddressAssets(ADDRESS);
    await one.clock.run(walked(walk, 900));
    expect(walk.checkpoint).toMatchObject({ address: ADDRESS, offset: 900, total: 1_000, isOver: false });
    expect(JSON.stringify(walk.checkpoint).length).toBeLessThan(2_000);
  });

  it('goes on after an error where it was', async () => {
    const one = world(250);
    const expected = await all(one);
    const walk = one.client.walkAddressAssets(ADDRESS);
    const keys: string[] = [];
    const stopOnce = one.service.faults.when(({ url }) =>
      url.search.includes('offset=99') ? { status: 500 } : undefined,
    );
    const first = one.clock.run(async () => {
      for await (const event of walk) keys.push(keyOf(event));
    });
    await expect(first).rejects.toMatchObject({ name: 'ServiceError', status: 500 });
    stopOnce();
    expect([...keys, ...(await one.clock.run(walked(walk)))]).toEqual(expected);
  });
});

describe('a walk that is aborted', () => {
  it('ends at once with the reason of the signal, in the middle of a page', async () => {
    const one = world(250);
    const stop = new AbortController();
    const reason = new Error('enough');
    const keys: string[] = [];
    const walking = one.clock.run(async () => {
      for await (const event of one.client.walkAddressAssets(ADDRESS, { signal: stop.signal })) {
        keys.push(keyOf(event));
        if (keys.length === 120) stop.abort(reason);
      }
    });
    await expect(walking).rejects.toBe(reason);
    expect(keys).toHaveLength(120);
    expect(one.service.requests).toBe(2);
  });

  it('spends nothing for a page that waits for its quota', async () => {
    const one = world(250);
    one.service.setLimits({ keyless: { minute: 1 } });
    const stop = new AbortController();
    const walking = walked(one.client.walkAddressAssets(ADDRESS, { signal: stop.signal }));
    const ending = expect(walking).rejects.toMatchObject({ name: 'AbortError' });
    await one.clock.advance(1_000);
    expect(one.client.waiting).toBe(1);
    stop.abort();
    await one.clock.run(ending);
    expect([one.service.requests, one.client.waiting]).toEqual([1, 0]);
  });

  it('says so where the page of one offset comes for another one, as from a cache that ignores the query', async () => {
    const { client, service } = mockWorld({ assetsOf: () => 250 }, {});
    const url = new URL(`${service.origin}/extended/v1/address/${ADDRESS}/assets?limit=100`);
    const first = String(service.answer({ method: 'GET', url, headers: new Headers() }).body());
    service.clearLog();
    service.faults.when(() => ({ status: 200, body: first }));
    const walk = client.walkAddressAssets(ADDRESS);
    const error = await walked(walk).catch((error: unknown) => error);
    expect(isResponseShape(error) && error.issues).toEqual([
      { path: '', message: 'the page at offset 99 is that at 0 again: pages do not go by offset here' },
    ]);
    expect(error).toMatchObject({ endpoint: 'GET /extended/v1/address/{address}/assets', status: 200 });
    expect(service.requests).toBe(2);
    expect(walk.checkpoint).toMatchObject({ offset: 100 });
  });
});

describe('a walk refuses, before anything is spent,', () => {
  const { client, service } = world(10);
  const whole: WalkCheckpoint = { address: ADDRESS, offset: 1, total: 5, recentKeys: [], isOver: false };

  it.for<[what: string, options: unknown, message: string]>([
    ['a page of one event', { limit: 1 }, 'limit must be 2 or more: a walk reads the last event again on each page'],
    ['a page of 101', { limit: 101 }, 'limit must be a whole number from 0 to 100, not 101'],
    ['an offset', { offset: 5 }, 'offset cannot be given: pass a checkpoint as from instead'],
    ['a schema', { schema: z.unknown() }, 'schema cannot be given: a walk needs the fields of the events'],
    ['what are no options', null, 'call options must be an object, not null'],
    ['an option that it does not know', { limits: 5 }, 'limits is not one of the call options: '],
    ['blocks with what is in none', { unanchored: true, untilBlock: 1 }, 'untilBlock cannot be combined with'],
    ["another's checkpoint", { from: { ...whole, address: OTHER } }, `from belongs to a walk of "${OTHER}"`],
    [
      'half a checkpoint',
      { from: { address: ADDRESS, offset: 1 } },
      'from must be the checkpoint of a walk, with all its',
    ],
    [
      'a checkpoint that was spoilt',
      { from: { ...whole, offset: -1 } },
      'offset must be a whole number, 0 or more, not -1',
    ],
    ['a checkpoint that is none', { from: 'the beginning' }, 'from must be an object, not string'],
    ['a checkpoint without its fields', { from: {} }, 'from must be the checkpoint of a walk, with all its fields'],
    [
      'a checkpoint with an offset that is none',
      { from: { offset: -1 } },
      'from.offset must be a whole number, 0 or more',
    ],
  ])('%s', ([, options, message]) => {
    expect(() => client.walkAddressAssets(ADDRESS, options as WalkOptions)).toThrow(message);
    expect(service.requests).toBe(0);
  });

  it('an invalid address', () => {
    expect(() => client.walkAddressAssets('SP123')).toThrow('address "SP123"');
  });
});
