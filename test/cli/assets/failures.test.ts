import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { ALL, addressesIn, linesIn, MANY, summaryOf } from '../support/assets.ts';
import { ACCOUNTS, worldOf } from '../support/world.ts';

const [FIRST = '', SECOND = ''] = ACCOUNTS;

const { newPath } = testFolder();

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

it('assets that wait for input from a terminal end on Ctrl-C', async () => {
  const world = worldOf();
  const silence = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
  Object.assign(world, { stdin: silence });
  world.clock.timer(1_000, () => world.interrupt());
  expect(await world.run('assets', '-')).toBe(130);
});
