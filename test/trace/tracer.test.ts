import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import type { CallStoryEvent, ClientEvent } from '../../src/events.ts';
import type { ClientOptions } from '../../src/options/client-options.ts';
import { createMockService, type MockServiceOptions, virtualClock } from '../../src/testing/index.ts';
import { wire } from '../support/wire.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const WALL = Date.UTC(2026, 0, 15, 12, 0, 20, 500);
const FEW_LEFT = { 'x-ratelimit-limit-stacks-minute': '1000', 'x-ratelimit-remaining-stacks-minute': '1' };

/** A client of a mock a tenth of a second away, in virtual time, and all that is told of its calls. */
function told(service: MockServiceOptions = {}, options: ClientOptions = {}) {
  const clock = virtualClock({ wall: WALL });
  const mock = createMockService({ clock, latencyMs: 100, keyless: { minute: 1_000 }, ...service });
  const events: CallStoryEvent[] = [];
  const { origin: baseUrl, fetch } = mock;
  const onEvent = (event: ClientEvent): void => void ('call' in event && events.push(event));
  const client = createClient({ baseUrl, fetch, clock, random: () => 0.5, onEvent, ...options });
  const storyOf = (call: number): CallStoryEvent[] => events.filter((event) => event.call === call);
  const types = (call: number): string[] => storyOf(call).map(({ type }) => type);
  return { clock, mock, client, events, storyOf, types };
}

describe('the events of a call', () => {
  it('the story of a call has one number, from the call to its answer', async () => {
    const { clock, client, storyOf } = told();
    await clock.run(client.getInfo({ label: 'job 7', priority: 3 }));
    await clock.run(client.getInfo());
    const all = { call: 1, endpoint: 'GET /extended/v1/info', label: 'job 7' };
    const url = 'https://api.mock.test/extended/v1/info';
    const [from, to] = [new Date(WALL), new Date(WALL + 100)];
    expect(storyOf(1)).toEqual([
      { ...all, at: from, type: 'called', priority: 3 },
      { ...all, at: from, type: 'sent', attempt: 1, units: 1, method: 'GET', url, waitedMs: 0 },
      { ...all, at: to, type: 'answered', status: 200, tookMs: 100, quota: expect.any(Object), drift: {} },
      { ...all, at: to, type: 'done', status: 200, tookMs: 100 },
    ]);
    expect(storyOf(2)[0]).not.toHaveProperty('label');
  });

  it('the story of a call goes on through refusals and retries, and ends once', async () => {
    const { clock, mock, client, types } = told();
    mock.faults.next(1, { status: 429, headers: { 'retry-after': '5' } });
    mock.faults.next(1, 'reset');
    await clock.run(client.getInfo());
    expect(types(1)).toEqual([
      ...['called', 'sent', 'answered', 'limited', 'retrying'],
      ...['waiting', 'sent', 'lost', 'retrying', 'sent', 'answered', 'done'],
    ]);
  });

  it.each([
    ['the quota is out', 'QuotaExhaustedError'],
    ['its signal aborts', 'aborted'],
    ['the client closes', 'ClosedError'],
  ])('the story of a call ends with its error where %s', async (what, error) => {
    const { call, last, client } = wire({ onEvent: (event) => 'call' in event && events.push(event) });
    const events: CallStoryEvent[] = [];
    await call('first');
    await last('first').answer(200, { 'retry-after': '60' });
    const controller = new AbortController();
    const second = await call('second', {
      signal: controller.signal,
      ...(error === 'QuotaExhaustedError' && { maxWaitMs: 1_000 }),
    });
    if (what === 'its signal aborts') controller.abort(new Error('enough'));
    if (what === 'the client closes') await client.close();
    await second.end;
    expect(events.at(-1)).toMatchObject({ call: 2, type: 'failed', error, tookMs: 0 });
  });

  it('the story of a call ends with the error of a connection that fails for good', async () => {
    const { clock, mock, client, storyOf } = told({}, { maxAttempts: 1 });
    mock.faults.next(1, 'reset');
    await clock.run(client.getInfo().catch(() => {}));
    expect(storyOf(1).slice(-2)).toMatchObject([
      { type: 'lost', code: 'ECONNRESET' },
      { type: 'failed', error: 'ConnectionError' },
    ]);
  });

  it('the story of a call says how long it waited, and what for, though it stood behind another', async () => {
    const { clock, client, storyOf } = told({ keyless: { minute: 2 } });
    await clock.run(Promise.all(Array.from({ length: 4 }, () => client.getInfo())));
    const waits = [1, 2, 3, 4].map((call) => storyOf(call).find(({ type }) => type === 'sent'));
    expect(waits).toMatchObject([
      { waitedMs: 0 },
      { waitedMs: 100, waitedFor: { kind: 'slow-start' } },
      { waitedFor: { kind: 'window', window: 'minute', limit: 2, headroom: 0 } },
      { waitedFor: { kind: 'window', window: 'minute' } },
    ]);
    expect(waits[0]).not.toHaveProperty('waitedFor');
    const sent = waits[3];
    if (sent?.type !== 'sent') throw new Error('the fourth was not sent');
    expect(sent.waitedMs).toBeCloseTo(sent.at.getTime() - WALL, -1);
  });

  it('a call that steps aside tells that it waits, until when and for what', async () => {
    const { clock, client, storyOf, events } = told({
      keyless: { minute: 10_000 },
      ceilings: { assets: { limit: 2, period: 'minute' } },
      headers: { generic: 'per endpoint ceiling' },
    });
    const assets = Array.from({ length: 3 }, (_, offset) => client.getAddressAssets(ADDRESS, { offset }));
    await clock.run(Promise.all([assets[0], assets[1]]));
    const parked = storyOf(3).findLast(({ type }) => type === 'waiting');
    expect(parked).toMatchObject({ parked: true, reason: { kind: 'window', window: 'endpoint' } });
    await clock.run(Promise.all(assets));
    const sent = storyOf(3).find(({ type }) => type === 'sent');
    expect(sent).toMatchObject({ waitedFor: { window: 'endpoint' } });
    const until = parked?.type === 'waiting' ? parked.until : undefined;
    expect(sent?.at.getTime()).toBe(until?.getTime());
    expect(events.filter((event) => event.type === 'waiting' && !event.parked)).not.toEqual([]);
  });
});

describe('drift', () => {
  const driftsOf = (events: readonly ClientEvent[]): (number | undefined)[] =>
    events.flatMap((event) => (event.type === 'answered' ? [event.drift.minute] : []));

  it('the drift between the service’s word and our books is nothing while nobody else spends, however many are in flight', async () => {
    const { clock, client, events } = told();
    await clock.run(Promise.all(Array.from({ length: 60 }, () => client.getInfo())));
    expect(new Set(driftsOf(events).slice(1))).toEqual(new Set([0]));
  });

  it('the drift between the service’s word and our books is what somebody else spent', async () => {
    const { clock, mock, client, events } = told();
    await clock.run(client.getInfo());
    await clock.run(client.getInfo());
    mock.spend(7);
    await clock.run(client.getInfo());
    await clock.run(client.getInfo());
    expect(driftsOf(events)).toEqual([undefined, 0, 7, 0]);
  });

  it('the drift between the service’s word and our books is less than nothing where the service counts less than we surely spent', async () => {
    const { call, last, clock } = wire({ onEvent: (event) => 'call' in event && events.push(event) });
    const events: CallStoryEvent[] = [];
    for (const left of ['990', '989', '995']) {
      await call(left);
      await last(left).answer(200, { ...FEW_LEFT, 'x-ratelimit-remaining-stacks-minute': left });
      await clock.advance(1_000);
    }
    expect(driftsOf(events)).toEqual([undefined, 0, -6]);
  });
});

describe('subscribing', () => {
  it('listeners can be added and removed', async () => {
    const { clock, client } = told();
    const heard: string[] = [];
    const end = client.subscribe((event) => heard.push(`${event.type} ${'call' in event ? event.call : ''}`));
    await clock.run(client.getInfo());
    end();
    await clock.run(client.getInfo());
    expect(heard).toEqual(['called 1', 'sent 1', 'answered 1', 'done 1']);
  });

  it('listeners that are one function twice hear twice, and each ends by itself', async () => {
    const { clock, client } = told();
    let heard = 0;
    const hear = (): void => void heard++;
    const end = client.subscribe(hear);
    client.subscribe(hear);
    await clock.run(client.getInfo());
    expect(heard).toBe(8);
    end();
    await clock.run(client.getInfo());
    expect(heard).toBe(12);
  });

  it('listeners hear of a call within the async context and the stack of the caller', () => {
    const { client } = told();
    const heard: string[] = [];
    client.subscribe(({ type }) => heard.push(type));
    client.getAddressAssets(ADDRESS).catch(() => {});
    expect(heard[0]).toBe('called');
  });

  it('no event is made where there are no listeners', async () => {
    const clock = virtualClock();
    const mock = createMockService({ clock, latencyMs: 100, keyless: { minute: 2 } });
    const instants = vi.fn(() => 0);
    const { origin: baseUrl, fetch } = mock;
    const client = createClient({ baseUrl, fetch, clock: { ...clock, wall: instants } });
    await clock.run(client.getInfo());
    // The reading of the headers says when they were received.
    expect(instants).toHaveBeenCalledTimes(1);
  });
});

describe('a listener that acts', () => {
  /** `called 1` for the first event of the first call. */
  const nameOf = (event: ClientEvent): string => `${event.type} ${'call' in event ? event.call : ''}`;

  it('a listener that makes a call hears of it after it returns, and so does each other listener, in order', async () => {
    const { clock, client, events } = told();
    const heard: string[] = [];
    let isHearing = false;
    client.subscribe((event) => {
      heard.push(isHearing ? 'within another' : nameOf(event));
      isHearing = true;
      if (event.type === 'called' && event.call < 3) client.getInfo().catch(() => {});
      isHearing = false;
    });
    await clock.run(client.getInfo());
    await clock.run(client.idle());
    expect(heard.slice(0, 3)).toEqual(['called 1', 'called 2', 'called 3']);
    expect(heard.filter((name) => name.startsWith('done'))).toHaveLength(3);
    expect(events.map(nameOf)).toEqual(heard);
  });

  it('a listener that calls without end does not exhaust the stack', async () => {
    const { clock, client } = told({ keyless: { minute: 100_000 } });
    let calls = 0;
    client.subscribe((event) => {
      if (event.type === 'called' && ++calls < 3_000) client.getInfo().catch(() => {});
    });
    client.getInfo().catch(() => {});
    expect(calls).toBe(3_000);
    await clock.run(client.close());
  });

  it('a listener that subscribes another lets it hear what happens from then on, and nothing before', async () => {
    const { clock, client } = told();
    const heard: string[] = [];
    let end = (): void => {};
    const endFirst = client.subscribe((event) => {
      if (nameOf(event) !== 'called 1') return;
      void client.getInfo();
      end = client.subscribe((later) => heard.push(nameOf(later)));
      void client.getInfo();
      endFirst();
    });
    await clock.run(client.getInfo());
    await clock.run(client.idle());
    expect(heard).toContain('called 3');
    expect(heard).not.toContain('called 1');
    expect(heard).not.toContain('called 2');
    end();
    const before = heard.length;
    await clock.run(client.getInfo());
    expect(heard).toHaveLength(before);
  });

  it('a listener that unsubscribes hears nothing more, even of what has happened already', async () => {
    const { clock, client } = told();
    const heard: string[] = [];
    const end = client.subscribe((event) => {
      heard.push(nameOf(event));
      void client.getInfo();
      end();
    });
    await clock.run(client.getInfo());
    await clock.run(client.idle());
    expect(heard).toEqual(['called 1']);
  });

  it('a listener that closes the client rejects what waits, and hears of each rejection after it returns', async () => {
    const { clock, client } = told();
    const heard: string[] = [];
    let isHearing = false;
    client.subscribe((event) => {
      heard.push(isHearing ? 'within another' : nameOf(event));
      isHearing = true;
      if (event.type === 'sent') void client.close();
      isHearing = false;
    });
    const ends = await clock.run(Promise.allSettled([client.getInfo(), client.getInfo(), client.getInfo()]));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(heard.slice(-5)).toEqual(['sent 1', 'failed 2', 'failed 3', 'answered 1', 'done 1']);
  });

  it('a call that a listener makes is told within the async context in which it was made', async () => {
    const { clock, client } = told();
    const context = new AsyncLocalStorage<string>();
    const heard: (string | undefined)[] = [];
    client.subscribe((event) => {
      if (event.type !== 'called') return;
      heard.push(context.getStore());
      if (event.call === 1) context.run('inner', () => void client.getInfo());
    });
    await context.run('outer', () => clock.run(client.getInfo()));
    expect(heard).toEqual(['outer', 'inner']);
  });
});

describe('node:diagnostics_channel', () => {
  it('the channels of node:diagnostics_channel carry every event to whoever looks on', async () => {
    const seen: unknown[] = [];
    const look = (event: unknown, name: string | symbol): void => void seen.push([name, event]);
    const { clock, client, events } = told();
    const types = ['called', 'sent', 'answered', 'done'] as const;
    for (const type of types) subscribe(`stacks-quota:${type}`, look);
    await clock.run(client.getInfo());
    for (const type of types) unsubscribe(`stacks-quota:${type}`, look);
    await clock.run(client.getInfo());
    expect(seen).toEqual(events.slice(0, 4).map((event) => [`stacks-quota:${event.type}`, event]));
  });

  it('the channels of node:diagnostics_channel need no listener of the client’s own, and carry only what somebody asked for', async () => {
    const clock = virtualClock();
    const { origin: baseUrl, fetch } = createMockService({ clock });
    const client = createClient({ baseUrl, fetch, clock });
    const seen: unknown[] = [];
    const look = (event: unknown): void => void seen.push(event);
    const publish = vi.spyOn(channel('stacks-quota:sent'), 'publish');
    subscribe('stacks-quota:done', look);
    await clock.run(client.getInfo());
    unsubscribe('stacks-quota:done', look);
    expect(seen).toMatchObject([{ type: 'done', call: 1 }]);
    expect(publish).not.toHaveBeenCalled();
  });

  it.each(['is not there', 'is forbidden'])(
    'the channels of node:diagnostics_channel are done without where the module %s',
    async (what) => {
      const { getBuiltinModule } = process;
      vi.spyOn(process, 'getBuiltinModule').mockImplementation((name: string) => {
        if (name !== 'node:diagnostics_channel') return getBuiltinModule(name);
        if (what === 'is forbidden') throw new Error('no access');
        return undefined as never;
      });
      const { clock, client, types } = told();
      await clock.run(client.getInfo());
      expect(types(1)).toEqual(['called', 'sent', 'answered', 'done']);
    },
  );
});
