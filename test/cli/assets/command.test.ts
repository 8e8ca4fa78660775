import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { ACCOUNTS, type TestWorld, worldOf } from '../support/world.ts';

const ALL = readFileSync('examples/addresses.txt', 'utf8').trim().split('\n');
const MANY = ALL.slice(0, 60);
const [FIRST = '', SECOND = ''] = ACCOUNTS;

const { newPath, fileWith } = testFolder();

type Line = { readonly address: string; readonly total: number; readonly results: readonly { tx_id: string }[] };
const linesIn = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const addressesIn = (text: string): string[] => linesIn(text).map(({ address }) => address);
const summaryOf = (world: TestWorld): string | undefined => /^Fetched .*$/m.exec(world.stderr.text)?.[0];

describe('assets', () => {
  it('writes a line of JSON for each account, and what it came to beside it', async () => {
    const world = worldOf({ service: { assetsOf: () => 3 } });
    expect(await world.run('assets', ...ACCOUNTS)).toBe(0);
    expect(addressesIn(world.stdout.text).toSorted()).toEqual(ACCOUNTS.toSorted());
    for (const { total, results } of linesIn(world.stdout.text)) expect([total, results.length]).toEqual([3, 3]);
    expect(world.stdout.text.startsWith('{"address":"')).toBe(true);
    expect(summaryOf(world)).toMatch(/^Fetched 3 of 3 accounts in \d\.\d s: 3 requests, 0 refused\.$/);
  });

  it('reads addresses from a file, standard input and the command line, and asks for each once', async () => {
    const path = fileWith(`\ufeff# mine\r\n  ${FIRST}\r\n\r\n${FIRST} # again\n`);
    const world = worldOf({ stdin: `${SECOND}\n${ACCOUNTS[2]}` });
    expect(await world.run('assets', FIRST, '-', '--from', path, '--from', '-')).toBe(0);
    expect(addressesIn(world.stdout.text).toSorted()).toEqual(ACCOUNTS.toSorted());
    expect(world.service.requests).toBe(3);
  });

  it('keeps to the quota, and says that it waits', async () => {
    const world = worldOf({ service: { keyed: { minute: 25 } } });
    const path = fileWith(MANY.join('\n'));
    expect(await world.run('assets', '--from', path)).toBe(0);
    expect(addressesIn(world.stdout.text).toSorted()).toEqual(MANY.toSorted());
    expect(world.service.limited).toBe(0);
    expect(world.clock.now()).toBeGreaterThan(60_000);
    expect(world.stderr.text).toMatch(/^Waiting until 2026-01-15T12:01:\d\dZ \(in \d+ s\): .*minute/m);
    expect(world.stderr.text).toMatch(/^24 of 60, 0 refused, minute \d+\/25, \d+ (s|min) to go$/m);
  });

  it('draws a picture in place on a terminal, where its results go elsewhere', async () => {
    const world = worldOf({ columns: 80, service: { keyed: { minute: 25 } } });
    expect(await world.run('assets', ...MANY, '--out', newPath())).toBe(0);
    expect(world.stderr.text).toContain('\r\x1b[3A');
    expect(world.stderr.plain).toMatch(/^done {3}█+ 60 of 60 +100 %$/m);
    expect(world.stdout.text).toBe('');
  });

  it('shows nothing but the lines where both go to one terminal', async () => {
    const world = worldOf({ columns: 80 });
    await world.run('assets', ...MANY);
    expect(linesIn(world.stdout.text)).toHaveLength(60);
    expect(world.stderr.text).toBe(`${summaryOf(world)}\n`);
  });

  it('is quiet on request', async () => {
    const world = worldOf();
    await world.run('assets', ...MANY, '--quiet');
    expect(world.stderr.text).toBe('');
  });

  it('has short flags for the two that are typed most, and takes --json for granted', async () => {
    const world = worldOf();
    const out = newPath();
    expect(await world.run('assets', FIRST, '-q', '--json', '-o', out)).toBe(0);
    expect(addressesIn(readFileSync(out, 'utf8'))).toEqual([FIRST]);
    expect(world.stderr.text).toBe('');
  });

  it('passes on what part of the history is wanted', async () => {
    const world = worldOf();
    await world.run('assets', FIRST, '--limit', '7', '--offset', '3', '--unanchored');
    await world.run('assets', FIRST, '--until-block', '100');
    expect(world.service.log.map(({ path }) => path.split('?')[1])).toEqual([
      'limit=7&offset=3&unanchored=true',
      'until_block=100',
    ]);
  });

  it('sends no more at a time than it is told', async () => {
    const world = worldOf({ service: { latencyMs: 100, keyed: { minute: 500 } } });
    await world.run('assets', ...MANY, '--concurrency', '2');
    expect(world.clock.now()).toBeGreaterThanOrEqual(29 * 100);
  });

  it('says what to type where standard input is a terminal', async () => {
    const world = worldOf({ stdin: `${FIRST}\n` });
    Object.assign(world.stdin, { isTTY: true });
    expect(await world.run('assets', '-')).toBe(0);
    expect(world.stderr.text).toMatch(/^Enter addresses, one per line; Ctrl-D ends the list\.\n/);
  });
});

it('assets that wait for input from a terminal end on Ctrl-C', async () => {
  const world = worldOf();
  const silence = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
  Object.assign(world, { stdin: silence });
  world.clock.timer(1_000, () => world.interrupt());
  expect(await world.run('assets', '-')).toBe(130);
});

describe('assets --all', () => {
  it('walks through all pages, with the largest there are', async () => {
    const world = worldOf({ service: { assetsOf: () => 250 } });
    expect(await world.run('assets', FIRST, '--all')).toBe(0);
    const [line] = linesIn(world.stdout.text);
    expect(line?.total).toBe(250);
    expect(new Set(line?.results.map(({ tx_id }) => tx_id)).size).toBeGreaterThan(200);
    expect(line?.results).toHaveLength(250);
    expect(world.service.requests).toBe(3);
  });

  it('ends on an empty page, if the page before was full', async () => {
    const world = worldOf({ service: { assetsOf: () => 200 } });
    await world.run('assets', FIRST, '--all');
    expect(linesIn(world.stdout.text)[0]).toMatchObject({ total: 200 });
    expect(world.service.requests).toBe(3);
  });

  it('has an event once that new ones push on to the next page', async () => {
    let events = 150;
    const world = worldOf({ service: { assetsOf: () => events } });
    let seen = 0;
    world.service.faults.when(() => {
      if (++seen === 2) events += 10;
      return undefined;
    });
    await world.run('assets', FIRST, '--all');
    const [line] = linesIn(world.stdout.text);
    expect(line?.results).toHaveLength(150);
    expect(line?.total).toBe(160);
  });
});

describe('assets --out', () => {
  it('goes on where it was interrupted, and fetches nothing twice', async () => {
    const out = newPath();
    const broken = worldOf({ service: { keyed: { minute: 25 } } });
    let arrived = 0;
    broken.service.faults.when(() => {
      if (++arrived === 25) broken.clock.timer(5_000, () => broken.interrupt());
      return undefined;
    });
    expect(await broken.run('assets', ...MANY, '--out', out)).toBe(130);
    const before = readFileSync(out, 'utf8');
    expect(before.endsWith('}\n')).toBe(true);
    expect(linesIn(before)).toHaveLength(25);
    expect(broken.stderr.text).toContain(`${out} contains only whole lines: continue with --resume.\n`);

    writeFileSync(out, `${before}${before.slice(0, 40)}`);
    const again = worldOf();
    expect(await again.run('assets', ...MANY, '--out', out, '--resume')).toBe(0);
    expect(again.service.requests).toBe(35);
    const after = readFileSync(out, 'utf8');
    expect(after.startsWith(before)).toBe(true);
    expect(addressesIn(after).toSorted()).toEqual(MANY.toSorted());
    expect(summaryOf(again)).toContain('Fetched 35 of 35 accounts (25 more before) in ');
  });

  it('has nothing to do where all is there', async () => {
    const out = newPath();
    await worldOf().run('assets', ...ACCOUNTS, '--out', out);
    const again = worldOf();
    expect(await again.run('assets', ...ACCOUNTS, '--out', out, '--resume')).toBe(0);
    expect(again.service.requests).toBe(0);
  });

  it('spends nothing where the file is there already', async () => {
    const out = fileWith('{"mine":true}\n');
    const world = worldOf();
    expect(await world.run('assets', FIRST, '--out', out)).toBe(2);
    expect(await world.run('assets', FIRST, '--out', out, '--resume')).toBe(2);
    expect(world.service.requests).toBe(0);
    expect(await world.run('assets', FIRST, '--out', out, '--force')).toBe(0);
    expect(addressesIn(readFileSync(out, 'utf8'))).toEqual([FIRST]);
  });

  it('stops when the disk is full', async () => {
    const world = worldOf();
    expect(await world.run('assets', ...MANY, '--out', '/dev/full', '--force')).toBe(1);
    expect(world.stderr.text).toMatch(/ENOSPC: no space left on device/);
    expect(world.stderr.text).not.toMatch(/^ +at /m);
    expect(world.service.requests).toBeLessThan(60);
  });

  it('leaves no empty file behind where nothing came of it', async () => {
    const out = newPath();
    const world = worldOf({ env: { STACKS_API_KEY: 'wrong' } });
    expect(await world.run('assets', ...ACCOUNTS, '--out', out)).toBe(1);
    expect(existsSync(out)).toBe(false);
  });
});

describe('assets, when something fails', () => {
  it('goes on with the others, names those that failed, and ends with 1', async () => {
    const world = worldOf();
    world.service.faults.when(({ url }) =>
      url.pathname.includes(SECOND) ? { status: 404, body: '{"error":"gone fishing"}' } : undefined,
    );
    expect(await world.run('assets', ...ACCOUNTS)).toBe(1);
    expect(addressesIn(world.stdout.text)).toHaveLength(2);
    expect(world.stderr.text).toContain(
      `stacks-quota: ${SECOND}: GET /extended/v1/address/${SECOND}/assets: the service answered 404: gone fishing.\n`,
    );
  });

  it('ends at once where the key is refused, and does not show it', async () => {
    const world = worldOf({ env: { STACKS_API_KEY: 'wrong-key' } });
    expect(await world.run('assets', ...MANY)).toBe(1);
    // Where answers say nothing of a quota, one goes first, then two, then four.
    expect(world.service.requests).toBeLessThanOrEqual(7);
    expect(world.stderr.text).toMatch(/the service answered 401: .* Check the key\.\n$/);
    expect(world.stderr.text).not.toContain('wrong-key');
  });

  it('gives up after ten failures in a row', async () => {
    const world = worldOf();
    world.service.faults.when(() => ({ status: 410, body: '{"error":"Gone"}' }));
    expect(await world.run('assets', ...ALL)).toBe(1);
    expect(world.service.requests).toBeLessThan(60);
    expect(world.stderr.text).toMatch(/^stacks-quota: Gave up after 10 failures in a row\.\n$/m);
  });

  it('says during an outage how requests fail and where, and promises no end', async () => {
    const world = worldOf({ columns: 80 });
    let requests = 0;
    world.service.faults.when(() => (++requests > 5 && world.clock.now() < 20_000 ? 'reset' : undefined));
    await world.run('assets', ...MANY, '--concurrency', '4', '-o', newPath());
    const frames = world.stderr.plain.split('done   ');
    const down = frames.filter((frame) => frame.includes(`ECONNRESET at ${world.service.origin}.`));
    expect(down.length).toBeGreaterThan(10);
    expect(down.filter((frame) => frame.includes('to go'))).toEqual([]);
    expect(frames.at(-1)).not.toContain('Waiting until');
  });

  it('says so in a line each minute where it draws no picture, and not only when it gives up', async () => {
    const world = worldOf({ service: { keyed: { minute: 1_000 } } });
    world.service.faults.when(() => (world.clock.now() < 100_000 ? 'reset' : undefined));
    const job = world.run('assets', ...MANY, '--concurrency', '4');
    await world.clock.advance(8_000);
    const told = new RegExp(
      `^Waiting: the last \\d+ requests failed, the latest with ECONNRESET at ${world.service.origin}\\.$`,
      'gm',
    );
    expect(world.stderr.text.match(told)).toHaveLength(1);
    await job;
    expect(world.stderr.text.match(told)?.length).toBeLessThan(3);
  });

  it('counts each request that was sent, also one without an answer', async () => {
    const world = worldOf();
    world.service.faults.next(2, 'lost');
    expect(await world.run('assets', FIRST)).toBe(0);
    expect(world.service.requests).toBe(3);
    expect(summaryOf(world)).toMatch(/: 3 requests, 0 refused\.$/);
  });

  it('ends with 4 when the quota is out for longer than one will wait, with all that was fetched', async () => {
    const out = newPath();
    const world = worldOf({ service: { keyed: { month: 10 } } });
    expect(await world.run('assets', ...MANY, '--out', out)).toBe(4);
    expect(linesIn(readFileSync(out, 'utf8'))).toHaveLength(10);
    expect(world.service.limited).toBe(0);
    expect(world.stderr.text).toMatch(
      /The month has 0 of 10 units left .* Retry at 2026-02-\d\dT\S+ \(in \d+ days\)\.\n$/,
    );
  });

  it('ends with 141 when its output is closed, and sends nothing more', async () => {
    const world = worldOf({ service: { latencyMs: 50 } });
    world.clock.timer(120, () => world.stdout.leave());
    expect(await world.run('assets', ...MANY)).toBe(141);
    expect(world.service.requests).toBeLessThan(60);
    expect(world.stderr.text).not.toContain('Fetched');
  });

  it('lets what is under way come back on Ctrl-C, because it was counted', async () => {
    const world = worldOf({ service: { latencyMs: 1_000 } });
    world.clock.timer(1_500, () => world.interrupt());
    expect(await world.run('assets', ...MANY, '--concurrency', '8')).toBe(130);
    const sent = world.service.log.length;
    expect(sent).toBeGreaterThan(1);
    expect(linesIn(world.stdout.text)).toHaveLength(sent);
  });
});

describe('assets refuses, before anything is spent,', () => {
  it.for<[name: string, argv: () => string[], sentence: RegExp]>([
    ['nobody', () => [], /^Missing addresses: pass them as arguments/],
    ['an address with a wrong checksum', () => [FIRST.replace(/.$/, '0')], /^address "SP3.*fails its checksum.*\.\n/],
    ['a file in place of an address', () => ['accounts.txt'], /If it is a file: --from accounts\.txt\n/],
    [
      'a line with a mistake',
      () => ['--from', fileWith(`${FIRST}\n# remark\nSP12\n`)],
      /^line 3 of .*: address "SP12" /,
    ],
    [
      'more mistakes than one can read',
      () => ['--from', fileWith('x\n'.repeat(50))],
      /\nstacks-quota: … and 40 more\.\nTry: /,
    ],
    ['a file without addresses', () => ['--from', fileWith('# none\n')], /^There are no addresses in /],
    ['a file that is not there', () => ['--from', '/none'], /^--from \/none cannot be read: ENOENT\./],
    ['nothing on standard input', () => ['-'], /^There are no addresses in standard input\./],
    ['a page larger than there are', () => [FIRST, '--limit', '101'], /^--limit must be at most 100/],
    [
      'a page of nothing for a walk',
      () => [FIRST, '--all', '--limit', '0'],
      /^--limit must be a whole number, 2 or more/,
    ],
    [
      'a walk that begins in the middle',
      () => [FIRST, '--all', '--offset', '5'],
      /^--all and --offset cannot be combined/,
    ],
    ['a block that is none', () => [FIRST, '--until-block', 'last'], /^--until-block must be the height/],
    [
      'a block and what is in none',
      () => [FIRST, '--until-block', '1', '--unanchored'],
      /^--unanchored and --until-block cannot be combined/,
    ],
    ['to go on with no file', () => [FIRST, '--resume'], /^--resume requires --out FILE\./],
    ['to keep and to replace', () => [FIRST, '--out', newPath(), '--resume', '--force'], /cannot be combined/],
  ])('%s', async ([, argv, sentence]) => {
    const world = worldOf();
    expect(await world.run('assets', ...argv())).toBe(2);
    expect(world.stderr.text).toMatch(/^stacks-quota: /);
    expect(world.stderr.text.replace('stacks-quota: ', '')).toMatch(sentence);
    expect(world.service.requests).toBe(0);
  });
});
