import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { addressesIn, linesIn, MANY, summaryOf } from '../support/assets.ts';
import { ACCOUNTS, worldOf } from '../support/world.ts';

const [FIRST = '', SECOND = ''] = ACCOUNTS;

const { newPath, fileWith } = testFolder();

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
    expect(world.stderr.text).toMatch(/^25 of 60, 0 refused, minute \d+\/25, \d+ (s|min) to go$/m);
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
