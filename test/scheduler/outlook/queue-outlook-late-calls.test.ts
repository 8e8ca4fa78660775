import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/http/call.ts';
import type { PendingCall } from '../../../src/scheduler/queue/pending-call.ts';
import { LIMIT, outlook } from '../support/outlook.ts';

describe('a call that is turned away', () => {
  it('is not ahead of the next one', () => {
    const { backlog, waiting, of } = outlook();
    of.leave(waiting());
    expect(of.overflowOf(waiting())).toMatchObject({ limit: 7, retryAfterMs: 1_000 });
    expect(backlog.aheadOf(0)).toEqual([]);
  });

  it('would be sent behind the calls of its priority and of higher ones, and at any time where none of them waits', () => {
    const { waiting, of } = outlook();
    const [urgent, usual] = [{ ask: { priority: 1 } }, { ask: {} }] as [PendingCall, PendingCall];
    expect(of.sentAt(usual)).toBe(-Infinity);
    waiting();
    expect(of.sentAt(urgent)).toBe(-Infinity);
    expect(of.sentAt(usual)).toBe(1_000);
  });

  it('is one with a maxQueueMs that is too short, unless it is an inspection', async () => {
    const { said, clock, of } = outlook();
    const latenessOf = (maxQueueMs?: number, isInspection = false): Error | undefined =>
      of.latenessOf({ ask: { endpoint: 'GET /a', isInspection }, maxQueueMs } as Call);
    expect(latenessOf(0, true)).toBeUndefined();
    expect(latenessOf()).toBeUndefined();
    expect(said.estimates).toBe(0);
    expect(latenessOf(1_000)).toBeUndefined();
    // Each but the first estimate of a call is looked at again with the costs that are sure.
    expect(latenessOf(1_999)).toMatchObject({ window: 'minute', retryAfterMs: 2_000 });
    await clock.advance(0.25);
    expect(latenessOf(1)).toMatchObject({ retryAfterMs: 4_000 });
  });

  it('is one that is late by the costs that are sure, too, and not one that is just in time by them', () => {
    const { told, of } = outlook();
    const latenessOf = (maxQueueMs: number): Error | undefined =>
      of.latenessOf({ ask: { endpoint: 'GET /a' }, maxQueueMs } as Call);
    told.sentAt = ({ cost }) => (cost === undefined ? 2_000 : 1_000);
    expect(latenessOf(999)).toBeDefined();
    expect(latenessOf(1_000)).toBeUndefined();
  });

  it('is one that costs more than a whole window where others wait; where none does, the pacer answers', () => {
    const { said, of } = outlook();
    const latenessOf = (cost: number): Error | undefined =>
      of.latenessOf({ ask: { endpoint: 'GET /a', cost }, request: { url: 'https://a.test/a' } } as Call);
    expect(latenessOf(LIMIT)).toBeUndefined();
    expect(latenessOf(LIMIT + 1)).toMatchObject({ window: 'minute', why: 'it is too much.' });
    said.waiting = 0;
    expect(latenessOf(LIMIT + 1)).toBeUndefined();
  });
});

describe('calls that wait with a maxQueueMs', () => {
  it('are looked at again when the windows change, and no sooner again than after 10 ms for a thousand of them', async () => {
    const { said, clock, waiting, of } = outlook();
    const bounds = new Map(Array.from({ length: 1_000 }, () => [waiting(), { by: 9_000, since: 0 }] as const));
    const look = (): number => {
      of.lateErrors(bounds);
      return said.estimates;
    };
    expect([look(), look()]).toEqual([1, 1]);
    await clock.advance(9);
    said.revision++;
    expect(look()).toBe(1);
    await clock.advance(1);
    expect([look(), look()]).toEqual([2, 2]);
  });

  it('are looked at again when much has come before them', async () => {
    const { said, clock, waiting, of } = outlook();
    const bounds = new Map(Array.from({ length: 16 }, () => [waiting(), { by: 9_000, since: 0 }] as const));
    of.lateErrors(bounds);
    const lookAfter = async (priority: number): Promise<number> => {
      waiting({ priority });
      await clock.advance(1);
      of.lateErrors(bounds);
      return said.estimates;
    };
    expect(await lookAfter(0)).toBe(1);
    // One that overtakes 17 is less than a sixteenth of all; two are more.
    expect(await lookAfter(1)).toBe(1);
    expect(await lookAfter(1)).toBe(2);
  });

  it('are turned away with one estimate for all of a kind and the time that each has waited, and are ahead of no other then', async () => {
    const { said, told, clock, backlog, waiting, of } = outlook();
    const [short, long] = [4_000, 6_000];
    const calls = [short, short, long].map((ms) => waiting({}, 1, ms));
    const other = waiting({ endpoint: 'GET /b' }, 1, short);
    await clock.advance(3_000);
    const bounds = new Map(
      [...calls, other].map((call) => [call, { by: call.maxQueueMs ?? Number.NaN, since: 0 }] as const),
    );
    // The plans are those without an instant and those of each instant, for each endpoint.
    Object.assign(told, { late: [0, 2, 1, 0, 0], sentAt: () => 5_000 });
    const errors = of.lateErrors(bounds);
    expect([...errors.keys()]).toEqual(calls);
    const why = 'the call would be sent after about 5 s, with 7 waiting';
    expect([...errors.values()]).toMatchObject(
      calls.map(({ maxQueueMs }) => ({ maxQueueMs, why, retryAfterMs: 2_000 })),
    );
    // Of all calls that wait, and of a call like those that are late.
    expect(said.estimates).toBe(2);
    expect(backlog.aheadOf(0)).toMatchObject([{ endpoint: 'GET /b', count: 1 }]);
  });

  it('are not turned away while no limit is known', () => {
    const { told, waiting, of } = outlook();
    told.late = undefined;
    expect(of.lateErrors(new Map([[waiting(), { by: 1, since: 0 }]])).size).toBe(0);
  });
});

describe('calls that wait and cost more than was known', () => {
  it('are looked at again once a cost has surprised, and not before', async () => {
    const { said, clock, waiting, of } = outlook();
    const bounds = new Map([[waiting(), { by: 9_000, since: 0 }]]);
    const look = async (): Promise<number> => {
      await clock.advance(1);
      of.lateErrors(bounds);
      return said.estimates;
    };
    expect(await look()).toBe(1);
    said.sure = 50;
    expect(await look()).toBe(1);
    said.surprises++;
    expect(await look()).toBe(2);
  });
});
