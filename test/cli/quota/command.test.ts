import { describe, expect, it } from 'vitest';
import { KEY, worldOf } from '../support/world.ts';

describe('quota', () => {
  it('shows what is left of each window, which is nearest to its end, and when it is back', async () => {
    const world = worldOf();
    world.service.spend(200, KEY);
    await world.clock.advance(1_500);
    expect(await world.run('quota')).toBe(0);
    expect(world.stdout.text).toBe(
      [
        'second █████████████████████████████░      19 of 20 left       resets in 1 s',
        'minute ██████████████████░░░░░░░░░░░░     299 of 500 left      resets in 39 s',
        'month  █████████████████████████████░ 149,799 of 150,000 left  resets in 17 days',
        'Tightest window: minute, 59 % left.',
        'This request cost 1 unit.',
        '',
      ].join('\n'),
    );
    expect(world.stderr.text).toBe('');
  });

  it('asks once, for the headers alone, and says what that cost', async () => {
    const world = worldOf({ service: { headCost: 3 } });
    await world.run('quota');
    expect(world.service.log.map(({ method, path }) => `${method} ${path}`)).toEqual(['HEAD /extended/v1/info']);
    expect(world.stdout.text).toContain('This request cost 3 units.');
  });

  it('says so where the service does not say what it cost', async () => {
    const world = worldOf({ service: { headers: { cost: false } } });
    await world.run('quota');
    expect(world.stdout.text).toContain('The service did not report the cost of this request.');
  });

  it.for([1, 20, 30, 45, 80, 132])('draws bars that fit on a terminal of %i columns', async (columns) => {
    const world = worldOf({ columns });
    await world.run('quota');
    const bars = world.stdout.plain.split('\n').slice(0, 3);
    expect(Math.max(...bars.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  it('has colours on a terminal only, and not against the wish of the user', async () => {
    const [terminal, file, plain] = [
      worldOf({ columns: 80 }),
      worldOf(),
      worldOf({ columns: 80, env: { NO_COLOR: '1' } }),
    ];
    for (const world of [terminal, file, plain]) await world.run('quota');
    expect(terminal.stdout.text).toContain('\x1b[32m█');
    expect(file.stdout.text).not.toContain('\x1b');
    expect(plain.stdout.text).not.toContain('\x1b');
  });

  it('shows the window of the endpoint that only ratelimit-* describes, and when it resets', async () => {
    const world = worldOf({
      service: {
        ceilings: { info: { limit: 10, period: 'hour' } },
        headers: { family: false, generic: 'per endpoint ceiling' },
      },
    });
    expect(await world.run('quota', '--json')).toBe(0);
    const { windows, binding } = JSON.parse(world.stdout.text);
    expect(windows).toEqual([{ window: 'endpoint', limit: 10, remaining: 9, endsAt: '2026-01-15T13:00:00.000Z' }]);
    expect(binding).toBe('endpoint');
  });

  it('reads a quota off a 404, too, which is what the real service is said to answer', async () => {
    const world = worldOf({ service: { info: 404 } });
    expect(await world.run('quota')).toBe(0);
    expect(world.stdout.text).toContain('499 of 500 left');
  });

  it.for([
    ['a wrong key', 401, { env: { STACKS_API_KEY: 'wrong' } }, ' Check the key.'],
    ['no headers', 200, { service: { headers: { family: false, generic: false } } }, ''],
  ] as const)('fails on %s', async ([, status, options, hint]) => {
    const world = worldOf(options);
    expect(await world.run('quota')).toBe(1);
    expect(world.stdout.text).toBe('');
    expect(world.stderr.text).toBe(`stacks-quota: The service answered ${status} without quota headers.${hint}\n`);
  });

  it('fails in a sentence where no service answers', async () => {
    const world = worldOf();
    world.service.faults.next(9, 'reset');
    expect(await world.run('quota')).toBe(1);
    expect(world.stderr.text).toBe(
      `stacks-quota: HEAD /extended/v1/info: no usable response from ${world.service.origin} after 3 attempts (ECONNRESET).\n`,
    );
  });

  it('ends with 4 when the quota is out, and says until when', async () => {
    const world = worldOf();
    world.service.spend(500, KEY);
    expect(await world.run('quota')).toBe(4);
    expect(world.stdout.text).toMatch(/^minute ░+ {7}0 of 500 left {6}resets in 40 s$/m);
    expect(world.stderr.text).toMatch(/ Retry at 2026-01-15T12:01:0\dZ \(in 4\d s\)\.\n$/);
    expect(world.service.requests).toBe(1);
  });

  it('calls the window tightest whose bar is shortest, a second too', async () => {
    const world = worldOf({ service: { keyed: { second: 5, minute: 100 } } });
    await world.run('quota');
    expect(world.stdout.text).toMatch(/^second .* 4 of 5 left/m);
    expect(world.stdout.text).toContain('Tightest window: second, 80 % left.');
  });

  it.for(['C', 'POSIX', 'de_DE.ISO-8859-1'])('is drawn in ASCII in the locale %s', async (LANG) => {
    const world = worldOf({ env: { LANG } });
    await world.run('quota');
    expect(world.stdout.text).toMatch(/^[\n\x20-\x7e]+$/);
    expect(world.stdout.text).toMatch(/^month {2}#+\. 149,999 of 150,000 left/m);
  });

  it('waits for a second to pass, and for nothing longer', async () => {
    const world = worldOf();
    world.service.spend(20, KEY);
    expect(await world.run('quota')).toBe(0);
    expect(world.service.requests).toBe(2);
  });

  it('is a line of JSON for programs', async () => {
    const world = worldOf({ service: { keyed: { minute: 10 } } });
    await world.run('quota', '--json');
    expect(world.stdout.text.endsWith('}\n')).toBe(true);
    expect(JSON.parse(world.stdout.text)).toEqual({
      at: '2026-01-15T12:00:20.000Z',
      status: 200,
      cost: 1,
      binding: 'minute',
      windows: [{ window: 'minute', limit: 10, remaining: 9, endsAt: '2026-01-15T12:01:00.000Z' }],
      malformed: [],
      under: [],
      exhausted: false,
      why: null,
      retryAt: null,
    });
  });

  it('is JSON of an exhausted quota, too', async () => {
    const world = worldOf({ service: { keyed: { minute: 5 } } });
    world.service.spend(5, KEY);
    expect(await world.run('quota', '--json')).toBe(4);
    expect(JSON.parse(world.stdout.text)).toMatchObject({ exhausted: true, status: 429, windows: [{ remaining: 0 }] });
    expect(JSON.parse(world.stdout.text).retryAt).toMatch(/^2026-01-15T12:01:0/);
  });

  it('names the headers that made no sense', async () => {
    const world = worldOf({ service: { limited: { retryAfter: () => 'soon' }, keyed: { minute: 0 } } });
    await world.run('quota', '--json');
    expect(JSON.parse(world.stdout.text).malformed).toEqual(['retry-after']);
  });

  it('ends by the signal that ends it', async () => {
    const world = worldOf();
    world.service.faults.next(1, 'hang');
    const ending = world.run('quota');
    world.clock.timer(1_000, () => world.interrupt());
    expect(await ending).toBe(130);
    expect(world.clock.now()).toBe(1_000);
  });
});
