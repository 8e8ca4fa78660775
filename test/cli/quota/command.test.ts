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
      1: 'stacks-quota: The service did not report a day.\n',
      3: / has \d+ of \d+ left, less than /,
      4: '',
    }[code];
    expect(world.stderr.text).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason ?? ''));
  });

  it('leaves the second alone unless it is named, since it is full again before anybody can act on it', async () => {
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

describe('quota --watch', () => {
  /** Runs a watch for so long, and ends it as users do. */
  async function watchFor(ms: number, world: ReturnType<typeof worldOf>, ...flags: string[]): Promise<number> {
    const cancel = world.clock.timer(ms, () => world.interrupt());
    const code = await world.run('quota', '--watch', ...flags);
    cancel();
    return code;
  }

  it('asks now and then, and ends well on Ctrl-C', async () => {
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

  it('asks as often as it is told', async () => {
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

  it('is a line of JSON for each look', async () => {
    const world = worldOf({ columns: 80 });
    await watchFor(25_000, world, '--json');
    const looks = world.stdout.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(looks.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('sends no request while the quota is out, and goes on when it is back', async () => {
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

  it('goes on through trouble that comes later, and ends where it begins with it', async () => {
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
    ['there is no such window', ['--fail-under', 'day=5'], {}, /^stacks-quota: The service did not report a day\.\n$/],
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

describe('info', () => {
  it('shows what the service says of itself', async () => {
    const world = worldOf();
    expect(await world.run('info')).toBe(0);
    expect(JSON.parse(world.stdout.text)).toMatchObject({ status: 'ready' });
  });

  it('is one line on request', async () => {
    const world = worldOf();
    expect(await world.run('info', '--json')).toBe(0);
    expect(world.stdout.text.trimEnd()).not.toContain('\n');
    expect(JSON.parse(world.stdout.text)).toMatchObject({ status: 'ready' });
  });

  it('says that the quota can be read even where there is no such page', async () => {
    const world = worldOf({ service: { info: 404 } });
    expect(await world.run('info')).toBe(1);
    expect(world.stderr.text).toMatch(
      /the service answered 404: .*\. The quota can be read all the same: stacks-quota quota\n$/,
    );
  });

  it('looks at the key when it is refused', async () => {
    const world = worldOf({ env: { STACKS_API_KEY: 'wrong-key' } });
    expect(await world.run('info')).toBe(1);
    expect(world.stderr.text).toMatch(
      /^stacks-quota: GET \/extended\/v1\/info: the service answered 401: .*\. Check the key\.\n$/,
    );
    expect(world.stderr.text).not.toContain('wrong-key');
  });

  it('waits no longer than it is told', async () => {
    const world = worldOf();
    world.service.spend(500, KEY);
    expect(await world.run('info', '--max-wait', '10s')).toBe(4);
    expect(await world.run('info')).toBe(0);
  });
});
