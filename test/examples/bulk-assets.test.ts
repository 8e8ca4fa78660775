import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMockService, type MockService, type MockServiceOptions } from 'stacks-quota/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ending, NO_SERVICE } from '../support/child.ts';
import { DEEP } from '../support/deep.ts';
import { endAll, isBuilt, run, start } from './support/start.ts';

const KEY = 'key-of-the-examples-test';
const FEW = ['--limit', '25', '--latency', '5-20'];
const open: (() => Promise<void>)[] = [];

afterAll(async () => {
  await endAll();
  for (const close of open) await close();
});

/** A service that the example takes for a live one, and what tells it so. */
async function liveService(
  options?: MockServiceOptions,
): Promise<{ service: MockService; env: Record<string, string> }> {
  const service = createMockService({ keys: [KEY], ...options });
  const { url, close } = await service.listen();
  open.push(close);
  return { service, env: { STACKS_API_URL: url, STACKS_API_KEY: KEY } };
}

/** One line of text, and none of a stack trace. */
function oneLine(text: string): string {
  expect(text).toMatch(/^.+\n$/);
  expect(text).not.toMatch(/^ +at /m);
  return text.trimEnd();
}

describe('the bulk example', { concurrent: true }, () => {
  /** One run before its own mock, which several tests look at. */
  let own: Promise<Ending> | undefined;
  const ownRun = (): Promise<Ending> => (own ??= run('bulk-assets.ts', FEW));

  it('fetches what it was asked for from its own mock, without one refusal', async () => {
    const { code, out, err } = await ownRun();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('25 accounts and contracts, from a mock of the service');
    expect(out).toMatch(/^fetched {4}25 of 25 accounts, with [\d,]+ asset events$/m);
    expect(out).toMatch(/^requests {3}25, of which the service refused 0 because of a limit$/m);
    expect(out).toMatch(/^duration {3}\d+\.\d s$/m);
  });

  it.runIf(isBuilt)('fetches all 300, waiting for two kinds of window', async () => {
    const { code, out } = await run('bulk-assets.ts');
    expect(code).toBe(0);
    expect(out).toMatch(/^requests {3}300, of which the service refused 0 /m);
    // 240 units are spent before the minute turns, 15 seconds after the second in which its mock starts, and 60 take two seconds more. How long the
    // program takes to begin after its mock is the machine's.
    const shortest = Number(/^shortest {3}(\d+\.\d) s/m.exec(out)?.[1]);
    expect(shortest).toBeGreaterThan(2);
    expect(shortest).toBeLessThan(18);
  });

  it.runIf(DEEP)('is not faster than the limits allow, and says so', async () => {
    const { out } = await run('bulk-assets.ts', [...FEW, '--per-second', '10']);
    const [took = 0, shortest = 0] = Array.from(out.matchAll(/^(?:duration|shortest) +([\d.]+) s/gm), ([, s]) =>
      Number(s),
    );
    // 25 in windows of 10 take three of them, of which the first may be all but over.
    expect(shortest).toBeGreaterThanOrEqual(1);
    expect(shortest).toBeLessThanOrEqual(2);
    expect(took).toBeGreaterThanOrEqual(shortest);
  });

  it('writes a plain line now and then where there is no terminal', async () => {
    const { out } = await ownRun();
    expect(out).not.toContain('\x1b');
    expect(
      out.match(/^\d+ of 25, 0 refused, second \d+\/20, minute \d+\/240, month [\d,]+\/150,000/gm)?.length,
    ).toBeGreaterThan(1);
  });

  it('asks the live service that the environment names, with the key that it holds', async () => {
    const { service, env } = await liveService();
    const { code, out, err } = await run('bulk-assets.ts', ['--limit', '10'], env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`from the service at ${env.STACKS_API_URL}`);
    expect(out).toMatch(/^requests {3}10, of which the service refused 0 /m);
    expect(out).toMatch(/^shortest {3}[01]\.\d s/m);
    expect(out).not.toContain(KEY);
    expect(service.log.map(({ key, limited }) => `${key} ${limited}`)).toEqual(Array(10).fill('keyed false'));
  });

  it.runIf(DEEP)('tells at the end of a call that failed among others that did not', async () => {
    const { service, env } = await liveService();
    let arrived = 0;
    service.faults.when(() => (++arrived === 5 ? { status: 410, body: '{"error":"Gone"}' } : undefined));
    const { code, out, err } = await run('bulk-assets.ts', ['--limit', '10'], env);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(/^fetched {4}9 of 10 accounts/m);
    expect(out).toMatch(/^failed {5}1, the first with: .*the service answered 410: Gone$/m);
  });

  it.runIf(DEEP)(
    'gives up after the first call where the key is wrong, in one line that does not show it',
    async () => {
      const { service, env } = await liveService();
      const { code, err } = await run('bulk-assets.ts', [], { ...env, STACKS_API_KEY: 'wrong-key' });
      expect(code).toBe(1);
      expect(oneLine(err)).toContain('the service answered 401');
      expect(err).not.toContain('wrong-key');
      expect(service.requests).toBe(1);
    },
  );

  it.runIf(DEEP || isBuilt)('says in one line that there is no service', async () => {
    const { code, err } = await run('bulk-assets.ts', [], { STACKS_API_URL: NO_SERVICE });
    expect(code).toBe(1);
    expect(oneLine(err)).toBe(`No usable answer from the service at ${NO_SERVICE}: ECONNREFUSED.`);
  });

  it('ends on Ctrl-C with a summary of what was done', async () => {
    const example = start('bulk-assets.ts');
    await example.says(/^\d+ of 300, 0 refused, second/m);
    example.process.kill('SIGINT');
    const { code, out, err } = await example.ending;
    expect({ code, err }).toEqual({ code: 130, err: '' });
    expect(out).toMatch(/^fetched {4}[1-9]\d* of 300 accounts/m);
    expect(out).toMatch(/^not made {3}2\d\d, because of Ctrl-C$/m);
  });

  it.runIf(DEEP || isBuilt)('ends without a stack trace when its output is no longer read', async () => {
    const example = start('bulk-assets.ts', FEW);
    await example.says(/from a mock/);
    example.process.stdout.destroy();
    expect(await example.ending).toMatchObject({ code: 1, err: '' });
  });

  it.runIf(DEEP)('explains itself', async () => {
    const { code, out, err } = await run('bulk-assets.ts', ['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const flag of ['--limit', '--per-second', '--per-minute', '--latency', '--help']) expect(out).toContain(flag);
  });
});

describe('the bulk example refuses in one line', { concurrent: true }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'stacks-quota-'));
  beforeAll(() => {
    writeFileSync(join(folder, 'empty.txt'), '\n\n');
    writeFileSync(join(folder, 'wrong.txt'), 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZZ\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const refused: [name: string, args: string[], env: Record<string, string>, line: RegExp][] = [
    ['a flag that it does not know', ['--bogus'], {}, /^Unknown option '--bogus'\. Try --help\.$/],
    ['a file that is not there', [join(folder, 'none.txt')], {}, /^The addresses cannot be read: ENOENT/],
    ['a file without addresses', [join(folder, 'empty.txt')], {}, /^There are no addresses in .*empty\.txt\.$/],
    ['an address with a wrong checksum', [join(folder, 'wrong.txt')], {}, /^address "SP3HX.*fails its checksum/],
    ['limits for a live service', ['--per-minute', '9'], { STACKS_API_URL: 'http://127.0.0.1:9' }, /are for the mock/],
    ['a URL that is none', [], { STACKS_API_URL: 'api.hiro.so' }, /^STACKS_API_URL must begin with https:/],
  ];

  it.for(refused.filter((_, at) => DEEP || at === 3))('%s', async ([, args, env, line]) => {
    const { code, err } = await run('bulk-assets.ts', args, env);
    expect(code).toBe(1);
    expect(oneLine(err)).toMatch(line);
  });
});
