import { describe, expect, it } from 'vitest';
import { KEY, worldOf } from '../support/world.ts';

describe('quota --watch', () => {
  /** Runs a watch for so long, and ends it as users do. */
  async function watchFor(ms: number, world: ReturnType<typeof worldOf>, ...flags: string[]): Promise<number> {
    const cancel = world.clock.timer(ms, () => world.interrupt());
    const code = await world.run('quota', '--watch', ...flags);
    cancel();
    return code;
  }

  it('asks at intervals, and ends with 0 on Ctrl-C', async () => {
    const world = worldOf();
    expect(await watchFor(35_000, world)).toBe(0);
    expect(world.service.requests).toBe(4);
    expect(world.stdout.text.split('\n').slice(0, 2)).toEqual([
      '2026-01-15T12:00:20Z second 19 of 20, minute 499 of 500, month 149,999 of 150,000',
      '2026-01-15T12:00:30Z second 19 of 20, minute 498 of 500, month 149,998 of 150,000',
    ]);
  });

  it('ends as any program on another signal', async () => {
    const world = worldOf();
    world.clock.timer(5_000, () => world.interrupt('SIGTERM'));
    expect(await world.run('quota', '--watch')).toBe(143);
  });

  it('asks as often as --every says', async () => {
    const world = worldOf();
    await watchFor(35_000, world, '--every', '1m');
    expect(world.service.requests).toBe(1);
  });

  it('is drawn in place on a terminal, second by second, without asking more often', async () => {
    const world = worldOf({ columns: 80 });
    await watchFor(5_500, world);
    const frames = world.stdout.text.split('\r\x1b[6A');
    expect(frames).toHaveLength(6);
    expect(frames.at(-1)).toContain('Next request in 5 s');
    expect(world.service.requests).toBe(1);
  });

  it('is a line of JSON for each reading', async () => {
    const world = worldOf({ columns: 80 });
    await watchFor(25_000, world, '--json');
    const looks = world.stdout.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(looks.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('sends no request while the quota is exhausted, and goes on after that', async () => {
    const world = worldOf({ service: { keyed: { minute: 2 } } });
    await watchFor(60_000, world, '--every', '5s');
    expect(world.service.limited).toBe(0);
    expect(world.stdout.text).toMatch(/minute 0 of 2: .* Retry at 2026-01-15T12:01:0\dZ \(in \d+ s\)\.\n/);
    expect(world.stdout.text).toMatch(/T12:01:0\dZ minute 1 of 2\n/);
  });

  it('ends as soon as a window is under the threshold', async () => {
    const world = worldOf();
    world.clock.timer(15_000, () => world.service.spend(300, KEY));
    expect(await world.run('quota', '--watch', '--fail-under', '50%')).toBe(3);
    expect(world.clock.now()).toBe(20_000);
    expect(world.stderr.text).toBe('stacks-quota: The minute has 197 of 500 left, less than 50 %.\n');
  });

  it('goes on after a reading fails, and ends where the first one does', async () => {
    const later = worldOf();
    later.service.faults.outage(5_000, 15_000);
    expect(await watchFor(25_000, later)).toBe(0);
    expect(later.stdout.text.match(/no usable response from \S+ after 3 attempts/g)).toHaveLength(1);
    expect(later.stdout.text.match(/ second 19 of 20/g)).toHaveLength(2);
    const first = worldOf();
    first.service.faults.outage(0, 60_000);
    expect(await first.run('quota', '--watch')).toBe(1);
  });

  it.for([
    [
      'there is no quota to watch',
      [],
      { headers: { family: false, generic: false } },
      /^stacks-quota: The service answered 200 without quota headers/,
    ],
    ['there is no such window', ['--fail-under', 'day=5'], {}, /^stacks-quota: The service reported no day\.\n$/],
  ] as const)('ends with 1 where %s', async ([, flags, service, sentence]) => {
    const world = worldOf({ service });
    expect(await world.run('quota', '--watch', ...flags)).toBe(1);
    expect(world.stderr.text).toMatch(sentence);
    expect(world.service.requests).toBe(1);
  });

  it('is required by --every', async () => {
    const world = worldOf();
    expect(await world.run('quota', '--every', '5s')).toBe(2);
    expect(world.stderr.text).toMatch(/^stacks-quota: --every requires --watch/);
  });
});
