import { describe, expect, it } from 'vitest';
import { asking, scriptOnServer } from './asking.ts';
import { hasRedis } from './server.ts';

describe.skipIf(!hasRedis)('the script, where the clock is set or others write', () => {
  const script = scriptOnServer();
  const { open, openAt } = script;

  it('keeps a pause no longer than it was told, wherever its clock is set', async () => {
    const start = Date.UTC(2026, 2, 10);
    let time = start;
    const { keys, send } = openAt(() => time);
    const pauseOf = async (sequence: number, pause = 0): Promise<number> =>
      (await send(asking('a', sequence, {}, { pause }))).pause;
    expect(await pauseOf(1, 5_000)).toBe(5_000);
    time = start - 3_600_000;
    expect(await pauseOf(2)).toBe(0);
    expect(await pauseOf(3, 5_000)).toBe(5_000);
    time += 60_000;
    expect(await pauseOf(4)).toBe(0);
    // Back into the middle of it.
    time -= 58_000;
    expect(await pauseOf(5)).toBe(0);
    expect(await script.redis.hmget(keys[1] ?? '', 'pause', 'pauseSince')).toEqual([null, null]);
  });

  it('keeps no pause for longer than an hour, whoever wrote it', async () => {
    const { keys, send } = open();
    const [, knowledge = ''] = keys;
    const pauseOf = async (sequence: number, pause = 0): Promise<number> =>
      (await send(asking('a', sequence, {}, { pause }))).pause;
    await script.redis.hset(knowledge, 'pause', '9e13');
    expect(await pauseOf(1)).toBe(0);
    await script.redis.hset(knowledge, 'pause', '9e13', 'pauseSince', '8.9e13');
    expect(await pauseOf(2, 5_000)).toBe(5_000);
    expect(await pauseOf(3, 172_800_000)).toBe(3_600_000);
    await script.redis.hset(knowledge, 'pause', '9e13');
    expect(await pauseOf(4)).toBe(0);
  });

  it('lets nobody wait for who looks when its clock was set back, or anybody wrote who does', async () => {
    let time = Date.UTC(2026, 2, 10);
    const { keys, send } = openAt(() => time);
    const look = async (me: string, sequence: number): Promise<string> =>
      (await send(asking(me, sequence, {}, { doubt: true }))).scout;
    expect([await look('a', 1), await look('b', 2)]).toEqual(['we', 'another']);
    // It is never heard of again.
    time -= 3_600_000;
    expect(await look('b', 3)).toBe('we');
    await script.redis.hset(keys[1] ?? '', 'scout', 'nobody’s', 'scoutUntil', '9e13');
    expect(await look('b', 4)).toBe('we');
    await script.redis.hset(keys[1] ?? '', 'scoutSince', '9e13');
    expect([await look('b', 5), await look('a', 6)]).toEqual(['nobody', 'nobody']);
  });
});
