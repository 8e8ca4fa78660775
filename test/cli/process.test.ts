import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { NO_SERVICE } from '../support/child.ts';
import { DEEP } from '../support/deep.ts';
import { testFolder } from '../support/folder.ts';
import { endAll, KEY, listening, start } from './support/program.ts';

const ADDRESSES = 'examples/addresses.txt';
const hasTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;
const { newPath, fileWith } = testFolder();

afterAll(endAll);

const wholeLines = (text: string): number => {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => JSON.parse(line).address).length;
};

describe('the program in a process of its own', { concurrent: true }, () => {
  it('looks at the quota over a real socket, and shows it without colours where there is no terminal', async () => {
    const { env } = await listening();
    const { code, out, err } = await start(['quota'], env).ending;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^month {2}█+░ 149,999 of 150,000 left {2}resets in \d+ \w+$/m);
    expect(out).not.toContain('\x1b');
  });

  it.runIf(DEEP)('draws as wide as COLUMNS says', async () => {
    const { env } = await listening();
    const { out } = await start(['quota'], { ...env, COLUMNS: '30' }).ending;
    expect(out.split('\n')[2]).toBe('month  149,999 of 150,000 left');
  });

  it('fetches what it is given on standard input', async () => {
    const { service, env } = await listening({ latencyMs: 5 });
    const program = start(['assets', '-'], env);
    program.process.stdin.end(readFileSync(ADDRESSES, 'utf8').split('\n').slice(0, 15).join('\n'));
    const { code, out, err } = await program.ending;
    expect(code).toBe(0);
    expect(wholeLines(out)).toBe(15);
    expect(err).toMatch(/^Fetched 15 of 15 accounts in \d+\.\d s: 15 requests, 0 refused\.$/m);
    expect(service.limited).toBe(0);
    expect(out + err).not.toContain(KEY);
  });

  it('leaves whole lines behind when the disk is full, and goes on from there', async () => {
    const { env } = await listening({ keyed: { minute: 1_000 } });
    const out = newPath();
    const few = fileWith(readFileSync(ADDRESSES, 'utf8').split('\n').slice(0, 40).join('\n'));
    const words = ['assets', '--from', few, '--out', out];
    // A limit of the system for the size of a file, which also cuts a line in two.
    const { code, err } = await start(words, env, (all) => ['sh', '-c', 'ulimit -f 100; exec "$@"', 'sh', ...all])
      .ending;
    expect(code).toBe(1);
    expect(err).toContain(
      'contains only whole lines: continue with --resume.\nstacks-quota: EFBIG: file too large, write.',
    );
    const lines = wholeLines(readFileSync(out, 'utf8'));
    expect(lines).toBeGreaterThan(0);
    expect(err).toContain(`Fetched ${lines} of 40 accounts`);
    expect((await start([...words, '--resume'], env).ending).code).toBe(0);
    expect(wholeLines(readFileSync(out, 'utf8'))).toBe(40);
  });

  it('leaves whole lines behind on Ctrl-C, and goes on from there', async () => {
    const { service, env } = await listening({ latencyMs: [20, 200] });
    const out = newPath();
    const program = start(['assets', '--from', ADDRESSES, '--out', out], env);
    await program.says(/^\d+ of 300/m);
    program.process.kill('SIGINT');
    const { code, err } = await program.ending;
    expect(code).toBe(130);
    const before = wholeLines(readFileSync(out, 'utf8'));
    // What was just leaving may have been counted, and cut off.
    const justLeaving = 2;
    const served = service.log.filter(({ status }) => status === 200).length;
    expect(before).toBeLessThanOrEqual(served);
    expect(before).toBeGreaterThanOrEqual(served - justLeaving);
    expect(err).toContain('continue with --resume.');

    const asked = service.requests;
    const again = start(['assets', '--from', ADDRESSES, '--out', out, '--resume'], env);
    await again.says(/^\d+ of \d+/m);
    again.process.kill('SIGTERM');
    expect((await again.ending).code).toBe(143);
    const after = wholeLines(readFileSync(out, 'utf8'));
    expect(after).toBeLessThanOrEqual(before + service.requests - asked);
    expect(after).toBeGreaterThanOrEqual(before + service.requests - asked - justLeaving);
  });

  it('ends at once on a second Ctrl-C', async () => {
    const { service, env } = await listening();
    service.faults.when(() => 'hang');
    const program = start(['assets', '--from', ADDRESSES], env);
    await expect.poll(() => service.requests, { timeout: 60_000 }).toBeGreaterThan(0);
    program.process.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(program.process.exitCode).toBeNull();
    // On a busy machine two signals may reach the program as one.
    const again = setInterval(() => program.process.kill('SIGINT'), 500);
    onTestFinished(() => clearInterval(again));
    program.process.kill('SIGINT');
    expect(await program.ending).toMatchObject({ code: 130, out: '' });
  });

  it('takes the answer that came while it was suspended for longer than its time-out', async () => {
    const stopped = Promise.withResolvers<void>();
    const { service, env } = await listening({
      routes: {
        'GET /v2/info': () => {
          if (service.requests === 1) program.process.kill('SIGSTOP');
          stopped.resolve();
          return { peer_version: 1 };
        },
      },
    });
    // Long enough for a busy machine to connect in.
    const program = start(['get', '/v2/info', '--timeout', '5s'], env);
    await stopped.promise;
    await sleep(6_000);
    program.process.kill('SIGCONT');
    expect(await program.ending).toEqual({ code: 0, out: '{"peer_version":1}', err: '' });
    expect(service.requests).toBe(1);
  });

  it('ends quietly when its output is closed', async () => {
    const { service, env } = await listening({ latencyMs: [20, 100] });
    const program = start(['assets', '--from', ADDRESSES], env);
    await program.says(/^\{"address"/);
    program.process.stdout.destroy();
    const { code, err } = await program.ending;
    expect(code).toBe(141);
    expect(err).not.toMatch(/EPIPE|^ +at |Fetched/m);
    expect(service.requests).toBeLessThan(300);
  });

  it.runIf(DEEP)('says in one line that no service answers', async () => {
    const { code, out, err } = await start(['quota'], { STACKS_API_URL: NO_SERVICE }).ending;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe(
      `stacks-quota: HEAD /extended/v1/info: no usable response from ${NO_SERVICE} after 3 attempts (ECONNREFUSED: nothing listens there). ` +
        'Check the URL of the service: --url or STACKS_API_URL.\n',
    );
  });

  it('opens a mock that another one can ask, and closes it on Ctrl-C', async () => {
    const mock = start(['mock', '--limit', 'minute=3', '--head-cost', '2', '--log']);
    const [url = ''] = await mock.says(/^http:\/\/127\.0\.0\.1:\d+$/m);
    const env = { STACKS_API_URL: url, STACKS_API_KEY: 'key-of-the-mock' };
    const quota = await start(['quota', '--fail-under', 'minute=2'], env).ending;
    expect(quota).toMatchObject({ code: 3, err: 'stacks-quota: The minute has 1 of 3 left, less than 2.\n' });
    expect(quota.out).toContain('This request cost 2 units.');
    mock.process.kill('SIGINT');
    const { code, out, err } = await mock.ending;
    expect({ code, out }).toEqual({ code: 0, out: `${url}\n` });
    expect(err).toMatch(/Z HEAD \/extended\/v1\/info 200 keyed, 2 units\n1 request, of which a limit refused 0\.\n$/);
  });

  it.for([
    { given: {}, needed: ' STACKS_API_KEY=key-of-the-mock' },
    { given: { STACKS_API_KEY: 'key-of-the-mock' }, needed: '' },
  ])('opens a mock, and says how to ask it with $given', async ({ given, needed }) => {
    const mock = start(['mock'], given);
    const [url = ''] = await mock.says(/^http:\S+$/m);
    mock.process.kill('SIGINT');
    expect((await mock.ending).err).toMatch(`Try: STACKS_API_URL=${url}${needed} stacks-quota quota\n`);
  });

  it('opens a mock with the routes of a file', async () => {
    const file = fileWith('{"GET /v2/accounts/{principal}": {"nonce": 5}, "POST /v2/fees": [1]}');
    const mock = start(['mock', '--routes', file, '--cost', 'GET /v2/accounts/{principal}=7']);
    const [url = ''] = await mock.says(/^http:\S+$/m);
    const account = await fetch(`${url}/v2/accounts/SP1`);
    expect([await account.json(), account.headers.get('x-ratelimit-cost-stacks')]).toEqual([{ nonce: 5 }, '7']);
    expect(await (await fetch(`${url}/v2/fees`, { method: 'POST', body: '{}' })).json()).toEqual([1]);
    expect((await fetch(`${url}/v2/fees`)).status).toBe(405);
  });

  it('opens a mock where MSW is not installed, and never tells the key that it was given', async () => {
    const hook =
      "import{registerHooks}from'node:module';registerHooks({resolve(s,c,n){if(/^msw/.test(s))throw Error('no '+s);return n(s,c)}})";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`, STACKS_API_KEY: KEY };
    const mock = start(['mock', '--fault', '503=1'], env);
    const [url = ''] = await mock.says(/^http:\S+$/m);
    const answers = await Promise.all([1, 2].map(() => fetch(url, { headers: { 'x-api-key': KEY } })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([404, 503]);
    mock.process.kill('SIGTERM');
    const { code, out, err } = await mock.ending;
    expect(code).toBe(0);
    expect(out + err).not.toContain(KEY);
  });

  it('says that the port is taken', async () => {
    const { env } = await listening();
    const port = new URL(env.STACKS_API_URL ?? '').port;
    const { code, err } = await start(['mock', '--port', port]).ending;
    expect(code).toBe(1);
    expect(err).toMatch(/^stacks-quota: listen EADDRINUSE: .*\.\n$/);
  });
});

describe.runIf(hasTerminal)('the program on a terminal', { concurrent: true }, () => {
  const onTerminal = (words: readonly string[]): string[] => [
    'script',
    '--quiet',
    '--return',
    '--command',
    // Without exec, a shell would stand between the terminal and the program, and hear its Ctrl-C.
    `exec ${words.map((word) => `'${word}'`).join(' ')}`,
    '/dev/null',
  ];

  it('has colours, and none where the user wants none', async () => {
    const { env } = await listening();
    const coloured = await start(['quota'], env, onTerminal).ending;
    const plain = await start(['quota'], { ...env, NO_COLOR: '1' }, onTerminal).ending;
    expect(coloured).toMatchObject({ code: 0, out: expect.stringContaining('\x1b[32m█') });
    expect(plain.out).toContain('█');
    expect(plain.out).not.toContain('\x1b');
  });

  it('draws a watch in place until Ctrl-C', async () => {
    const { service, env } = await listening();
    const program = start(['quota', '--watch', '--every', '1s'], env, onTerminal);
    await expect.poll(() => service.requests, { timeout: 60_000 }).toBeGreaterThan(1);
    program.process.stdin.write('\x03');
    const { code, out } = await program.ending;
    expect(code).toBe(0);
    expect(out).toContain('\r\x1b[6A');
  });
});
