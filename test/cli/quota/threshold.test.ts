import { describe, expect, it } from 'vitest';
import { KEY, worldOf } from '../support/world.ts';

describe('quota --fail-under', () => {
  it.for<[min: string, code: number]>([
    ['59%', 0],
    ['60%', 3],
    ['299', 0],
    ['300', 3],
    ['minute=300', 3],
    ['month=300', 0],
    ['second=20', 3],
    ['day=1', 1],
  ])('%s ends with %i where 299 of 500 are left of the minute', async ([min, code]) => {
    const world = worldOf();
    world.service.spend(200, KEY);
    await world.clock.advance(1_000);
    expect(await world.run('quota', '--fail-under', min)).toBe(code);
    const reason = {
      0: '',
      1: 'stacks-quota: The service reported no day.\n',
      3: / has \d+ of \d+ left, less than /,
      4: '',
    }[code];
    expect(world.stderr.text).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason ?? ''));
  });

  it('leaves the second alone unless it is named, since it is full again before anyone can act on it', async () => {
    const world = worldOf({ service: { keyed: { second: 1, minute: 100 } } });
    expect(await world.run('quota', '--fail-under', '50%')).toBe(0);
  });

  it.for(['10 %', '101%', 'week=3', '-1', 'minute', '=5', 'minute=', '1e3'])('%s is no threshold', async (min) => {
    const world = worldOf();
    expect(await world.run('quota', `--fail-under=${min}`)).toBe(2);
    expect(world.stderr.text).toContain('--fail-under must be');
    expect(world.service.requests).toBe(0);
  });
});
