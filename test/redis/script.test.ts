import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scriptRunner } from '../../src/redis/connection.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { readReply } from '../../src/redis/message.ts';
import { asking, longWish, scriptOnServer } from './asking.ts';
import { memoryRedis } from './memory.ts';
import { hasRedis } from './server.ts';

const wishes = fc.record({
  want: fc.integer({ min: 1, max: 60 }),
  need: fc.integer({ min: 1, max: 5 }),
  ahead: fc.boolean(),
  late: fc.boolean(),
});

const trips = fc.array(
  fc.record({
    who: fc.integer({ min: 0, max: 3 }),
    work: fc.boolean(),
    doubt: fc.boolean(),
    claimed: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
    used: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
    wishes: fc.array(wishes, { maxLength: 3 }),
    tell: fc.constantFrom(
      {},
      { 's:minute': '0 1' },
      { 's:minute': '0 8' },
      { 's:minute': '1 2' },
      { 'l:minute': '90' },
    ),
    pause: fc.constantFrom(0, 5_000, 172_800_000),
    // What the clock of Redis does before the trip: it may be set back.
    ticks: fc.constantFrom(0, 500, 4_000, 60_000, -2_000, -3_600_000),
  }),
  { minLength: 1, maxLength: 25 },
);

describe.skipIf(!hasRedis)('the script, on a real server', () => {
  const script = scriptOnServer();
  const { open, openAt } = script;

  it('gives what the store in memory gives, whatever is asked', async () => {
    await fc.assert(
      fc.asyncProperty(trips, async (steps) => {
        let time = Date.UTC(2026, 2, 10);
        const { send } = openAt(() => time);
        const memory = memoryRedis(
          () => time,
          async (work) => work(),
        );
        const tag = randomUUID();
        for (const [index, step] of steps.entries()) {
          time += step.ticks;
          const said = step.used === undefined ? {} : { said: { slice: 10, from: 10, to: 19, used: step.used } };
          const request = asking(
            `process ${step.who}`,
            index + 1,
            {
              claims: step.claimed === undefined ? [] : [[10, step.claimed]],
              ...said,
              wishes: step.wishes.map((wish, at) => ({
                ...{ slice: 10 + 10 * at, from: 10 + 10 * at, to: 19 + 10 * at, most: 40, ...wish },
              })),
            },
            { work: step.work, doubt: step.doubt, tell: step.tell as Record<string, string>, pause: step.pause },
          );
          const { known, spoilt, ...real } = await send(request);
          const expected = readReply(await memory.eval('', 1, tag, JSON.stringify(request)), request);
          expect(real).toEqual({
            ...expected,
            known: undefined,
            spoilt: undefined,
          });
          expect(spoilt).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('never hands out more than the limit, whoever asks and however often', async () => {
    const { send } = open();
    let given = 0;
    for (let turn = 1; turn <= 40; turn++) {
      const wish = { slice: 10, from: 10, to: 19, want: 30, need: 1, most: 1e9, ahead: turn % 2 === 0, late: true };
      const { grants } = await send(asking(`process ${turn % 7}`, turn, { wishes: [wish] }));
      given += grants[0]?.[0] ?? 0;
    }
    expect(given).toBeLessThanOrEqual(100);
  });

  it('gives processes with work equal parts, and all of the window to them together', async () => {
    const { send } = open();
    const everyone = Array.from({ length: 8 }, (_, index) => `process ${index}`);
    for (const me of everyone) await send(asking(me, 1, { wishes: [] }));
    const wish = { slice: 10, from: 10, to: 19, want: 100, need: 1, most: 1e9, ahead: true, late: false };
    const parts: number[] = [];
    for (const me of everyone) parts.push((await send(asking(me, 2, { wishes: [wish] }))).grants[0]?.[0] ?? 0);
    expect(parts.toSorted((one, other) => one - other)).toEqual([12, 12, 12, 12, 13, 13, 13, 13]);
  });

  it('takes a claim as a total, so a trip that is made twice, or whose answer is lost, does no harm', async () => {
    const { send } = open();
    const first = await send(asking('a', 1, { wishes: [{ ...longWish, want: 40 }] }));
    expect(first.grants).toEqual([[40]]);
    // The answer was lost: a claims what it knows of, which is nothing.
    await send(asking('a', 2, { claims: [[10, 0]], wishes: [] }));
    const { left } = await send(asking('b', 3, { wishes: [{ ...longWish, want: 1 }] }));
    expect(left[0]?.[0]).toBe(99);
  });

  it('does not take a trip that was long under way for a new one', async () => {
    const { keys, send } = open();
    await send(asking('a', 2));
    const late = await scriptRunner(script.redis as never)(keys, JSON.stringify(asking('a', 1)));
    expect(readReply(late, asking('a', 1))).toBeUndefined();
  });

  it('books what the service counted beyond all claims as a stranger’s, and takes it back when it was a sibling’s', async () => {
    const { send } = open();
    const said = { slice: 10, from: 10, to: 19, used: 30 };
    const heard = await send(asking('a', 1, { said, wishes: [{ ...longWish, want: 1 }] }));
    expect([heard.strangers, heard.left]).toEqual([[30], [[69]]]);
    const { left } = await send(asking('b', 2, { claims: [[10, 20]], wishes: [{ ...longWish, want: 1 }] }));
    expect(left[0]?.[0]).toBe(68);
  });

  it('takes back what a dead process held of a month, and what it spent stays spent', async () => {
    const { keys, send } = open();
    const month = { long: true, wishes: [{ ...longWish, want: 40 }] };
    await send(asking('dead', 1, { ...month, claims: [[10, 5]] }));
    const [, , hash = ''] = keys;
    expect(await script.redis.hget(hash, '10')).toBe('45');
    await script.redis.hset(hash, 'hdead', `40 10 ${Date.now() - 31_000}`, 'reaped', '0');
    await send(asking('b', 2, { ...month, wishes: [{ ...longWish, want: 1 }] }));
    expect(await script.redis.hget(hash, '10')).toBe('6');
  });

  it('starts afresh over what somebody else left under its keys, and names it', async () => {
    const { keys, send } = open();
    const [members = '', knowledge = '', minute = ''] = keys;
    await script.redis.set(members, 'somebody’s');
    await script.redis.lpush(knowledge, 'a list');
    await script.redis.hset(minute, '10', 'no number', 'f10', '-7', '10:a', '1e400');
    const { grants, spoilt } = await send(asking('a', 1, { wishes: [{ ...longWish, want: 5 }] }));
    expect(grants).toEqual([[5]]);
    expect(new Set(spoilt)).toEqual(new Set([members, knowledge, minute]));
    expect(await script.redis.type(members)).toBe('zset');
  });

  it('forgets windows that are over, so that its memory does not grow', async () => {
    const { keys, send } = open();
    for (let turn = 1; turn <= 300; turn++) {
      const slice = turn * 10;
      const wish = { ...longWish, slice, from: slice, to: slice + 9, want: 1 };
      await send(asking(`process ${turn % 3}`, turn, { oldest: slice - 30, wishes: [wish] }));
    }
    expect(await script.redis.hlen(keys[2] ?? '')).toBeLessThan(200);
    for (const key of keys) expect(await script.redis.pttl(key)).toBeGreaterThan(0);
  });

  it('keeps all keys of a credential in one slot of a cluster, with a version and without the credential', () => {
    const keys = keysOf('test', 'secret', 'https://api.hiro.so\0the-api-key')(['second', 'month']);
    expect(keys[0]).toMatch(/^sq1:\{test:[\w-]{22}\}:members$/);
    expect(new Set(keys.map((key) => /\{(.*)\}/.exec(key)?.[1])).size).toBe(1);
    expect(keys.join()).not.toContain('the-api-key');
    expect(keysOf('test', 'other', 'https://api.hiro.so\0the-api-key')([])).not.toEqual(keys.slice(0, 2));
  });
});
