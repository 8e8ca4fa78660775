import { describe, expect, it } from 'vitest';
import type { CallStoryEvent, ClientEvent } from '../../src/events.ts';
import { wire } from '../support/wire.ts';
import { ADDRESS, told, WALL } from './support/told.ts';

const FEW_LEFT = { 'x-ratelimit-limit-stacks-minute': '1000', 'x-ratelimit-remaining-stacks-minute': '1' };

describe('the events of a call', () => {
  it('have one number, from the call to its answer', async () => {
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

  it('go on through refusals and retries, and end once', async () => {
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
  ])('end with its error where %s', async (what, error) => {
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

  it('end with the error of a connection that fails for good', async () => {
    const { clock, mock, client, storyOf } = told({}, { maxAttempts: 1 });
    mock.faults.next(1, 'reset');
    await clock.run(client.getInfo().catch(() => {}));
    expect(storyOf(1).slice(-2)).toMatchObject([
      { type: 'lost', code: 'ECONNRESET' },
      { type: 'failed', error: 'ConnectionError', code: 'ECONNRESET' },
    ]);
  });

  it('end, where the quota does not allow it, with the reason and when it may be retried, if it ever may', async () => {
    const { clock, mock, client, storyOf } = told({ keyless: { minute: 2 } });
    await clock.run(Promise.all([client.getInfo(), client.getInfo()]));
    const error = await client.getInfo({ maxWaitMs: 0 }).catch((reason) => reason);
    expect(storyOf(3).at(-1)).toMatchObject({ type: 'failed', why: error.why, retryAt: error.retryAt });
    await clock.run(client.getInfo({ cost: 3 }).catch(() => {}));
    expect(storyOf(4).at(-1)).toMatchObject({ why: expect.stringContaining('3'), retryAt: undefined });
    await client.getInfo({ signal: AbortSignal.abort(error) }).catch(() => {});
    expect(storyOf(5).at(-1)).toMatchObject({ error: 'aborted', why: undefined });
    expect(mock.requests).toBe(2);
  });

  it('say how long it waited, and what for, although it was behind another', async () => {
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

  it('say until when it waits and for what, while it is parked', async () => {
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

  it('is 0 while no other consumer uses the quota, however many requests are in flight', async () => {
    const { clock, client, events } = told();
    await clock.run(Promise.all(Array.from({ length: 60 }, () => client.getInfo())));
    expect(new Set(driftsOf(events).slice(1))).toEqual(new Set([0]));
  });

  it('is the usage of other consumers', async () => {
    const { clock, mock, client, events } = told();
    await clock.run(client.getInfo());
    await clock.run(client.getInfo());
    mock.spend(7);
    await clock.run(client.getInfo());
    await clock.run(client.getInfo());
    expect(driftsOf(events)).toEqual([undefined, 0, 7, 0]);
  });

  it('is below 0 where the service counts less than this client surely used', async () => {
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
