import type { MockService, MockServiceOptions } from 'stacks-quota/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { readProxyFlags } from '../../../src/cli/proxy/flags.ts';
import { hasRedis, startRedis } from '../../redis/support/server.ts';
import { DEEP } from '../../support/deep.ts';
import { testFolder } from '../../support/folder.ts';
import { endAll, KEY, listening, start } from '../support/program.ts';
import { worldOf } from '../support/world.ts';

const TOKEN = 'token-of-the-proxy-command-test';
const INFO = '/extended/v1/info';
const { fileWith } = testFolder();

afterAll(endAll);

/** The proxy in a process of its own, before a service on a real port. */
async function proxyOf(
  args: readonly string[] = [],
  env: Record<string, string> = {},
  options: MockServiceOptions = {},
) {
  const { service, env: access } = await listening(options);
  const program = start(['proxy', '--port', '0', ...args], { ...access, ...env });
  const [, url = ''] = await program.says(/^(http:\S+)$/m);
  return { service, program, url };
}

describe('the flags of the proxy', () => {
  it('have defaults where none is given', async () => {
    expect(await readProxyFlags([], {})).toEqual({
      access: {},
      port: 3_999,
      host: '127.0.0.1',
      token: undefined,
      maxWaitMs: 300_000,
      timeoutMs: 30_000,
      concurrency: 32,
      share: undefined,
    });
  });

  it('say where to listen, for how long to wait, and with whom to share', async () => {
    const file = fileWith(`${TOKEN}\n`);
    const flags = [
      '--port',
      '80',
      '--listen',
      '0.0.0.0',
      '--token-file',
      file,
      '--max-wait',
      '10s',
      '--concurrency',
      '4',
    ];
    expect(await readProxyFlags([...flags, '--redis', 'redis://r', '--name', 'n'], {})).toMatchObject({
      port: 80,
      host: '0.0.0.0',
      token: TOKEN,
      maxWaitMs: 10_000,
      concurrency: 4,
      share: { redis: 'redis://r', name: 'n' },
    });
    expect(await readProxyFlags(['--listen', '::'], { STACKS_PROXY_TOKEN: TOKEN })).toMatchObject({ token: TOKEN });
    const url = 'redis://:password@r';
    expect(await readProxyFlags([], { STACKS_REDIS_URL: url })).toMatchObject({ share: { redis: url, name: 'proxy' } });
    expect(await readProxyFlags(['--redis', 'redis://r'], { STACKS_REDIS_URL: url })).toMatchObject({
      share: { redis: 'redis://r' },
    });
    expect(await readProxyFlags([], { STACKS_REDIS_URL: '' })).toMatchObject({ share: undefined });
  });

  it('may name the loopback, without a token', async () => {
    expect(await readProxyFlags(['--listen', '127.0.0.1'], {})).toMatchObject({ host: '127.0.0.1', token: undefined });
  });

  it.for([
    [['--port', '70000'], '--port must be at most 65535'],
    [['--token-file', '/nowhere/token'], '--token-file /nowhere/token cannot be read: ENOENT.'],
    [['--token', TOKEN], 'The key cannot be a flag'],
    [['3999'], 'proxy takes no arguments, only flags.'],
    [['--max-wait', '10'], '--max-wait must be a time'],
  ] as const)('are checked: %j', async ([args, message]) => {
    await expect(readProxyFlags(args, {})).rejects.toThrow(message);
  });
});

describe('the proxy in a process of its own', { concurrent: true }, () => {
  it('paces requests, adds the key, and ends on Ctrl-C', async () => {
    const { service, program, url } = await proxyOf([], {}, { keyed: { second: 20, minute: 10_000 } });
    const answers = await Promise.all(Array.from({ length: 60 }, () => fetch(url + INFO)));
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    const texts = await Promise.all(
      answers.map(async (answer) => JSON.stringify([...answer.headers]) + (await answer.text())),
    );
    expect(service.limited).toBe(0);
    const pages = await Promise.all(
      ['/-/', '/-/quota', '/-/queue', '/-/metrics'].map(async (page) => (await fetch(url + page)).text()),
    );
    program.process.kill('SIGINT');
    const { code, out, err } = await program.ending;
    expect({ code, out }).toEqual({ code: 0, out: `${url}\n` });
    expect(err).toBe(`Ctrl-C stops it. To watch it: ${url}/-/\n`);
    expect([...texts, ...pages, out, err].join('\n')).not.toContain(KEY);
  });

  it('answers calls that wait with 503 when it ends, and ends in spite of a page that watches', async () => {
    const { program, url } = await proxyOf([], {}, { keyed: { minute: 1 } });
    await (await fetch(url + INFO)).text();
    const events = await fetch(`${url}/-/events`);
    const waiting = fetch(url + INFO);
    await vi.waitUntil(async () => (await (await fetch(`${url}/-/queue`)).json()).waiting === 1, { timeout: 60_000 });
    program.process.kill('SIGTERM');
    expect((await waiting).status).toBe(503);
    expect((await program.ending).code).toBe(0);
    await events.text();
  });

  it('asks for the token where others can reach it, goes on while Redis cannot be reached, and says so', async () => {
    const unreached = ['--redis', 'redis://127.0.0.1:1'];
    const { program, url } = await proxyOf(['--listen', '0.0.0.0', ...unreached], { STACKS_PROXY_TOKEN: TOKEN });
    const own = url.replace('0.0.0.0', '127.0.0.1');
    expect((await fetch(own + INFO)).status).toBe(401);
    expect((await fetch(own + INFO, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
    await program.says(/^stacks-quota: the share is lost \(ECONNREFUSED\), and the proxy goes on without it\.$/m);
  });

  it('goes on without Redis also where its standard error is closed', async () => {
    const { program, url } = await proxyOf(['--redis', 'redis://127.0.0.1:1']);
    await program.says(/Ctrl-C stops it/);
    program.process.stderr.destroy();
    // The first request is sent when the trips to Redis have failed.
    for (let sent = 0; sent < 3; sent++) expect((await fetch(url + INFO)).status).toBe(200);
  });

  it.runIf(DEEP)('says in one line that the port is taken', async () => {
    const { url } = await proxyOf();
    const { code, out, err } = await start(['proxy', '--port', new URL(url).port], { STACKS_API_KEY: KEY }).ending;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe(`stacks-quota: listen EADDRINUSE: address already in use ${new URL(url).host}.\n`);
  });

  it.skipIf(!hasRedis || !DEEP)('shares the quota through Redis with another', async ({ onTestFinished }) => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const { service, env } = await listening({ keyed: { second: 20, minute: 10_000 } });
    const words = ['proxy', '--port', '0', '--name', 'test'];
    const programs = [
      start([...words, '--redis', redis.url], env),
      start(words, { ...env, STACKS_REDIS_URL: redis.url }),
    ];
    await expectShared(service, programs);
  });

  it('shares the quota with another of this machine, without Redis', async () => {
    const { service, env } = await listening({ keyed: { second: 20, minute: 10_000 } });
    const name = `proxy-test-${process.pid}`;
    await expectShared(
      service,
      [0, 1].map(() => start(['proxy', '--port', '0', '--name', name], env)),
    );
  });

  async function expectShared(service: MockService, programs: readonly ReturnType<typeof start>[]): Promise<void> {
    const urls = await Promise.all(programs.map(async (program) => (await program.says(/^(http:\S+)$/m))[1] ?? ''));
    const answers = await Promise.all(
      urls.flatMap((url) => Array.from({ length: 30 }, async () => (await fetch(url + INFO)).status)),
    );
    expect(answers.filter((status) => status !== 200)).toEqual([]);
    // Two proxies that do not share are refused 8 to 14 of 60. A tenth is for a busy machine, on which a request may be late by a second.
    expect(service.limited).toBeLessThanOrEqual(6);
    for (const program of programs) {
      program.process.kill('SIGINT');
      expect((await program.ending).code).toBe(0);
    }
  }
});

describe('the proxy in a world of its own', () => {
  it.each([[], ['--redis', 'redis://127.0.0.1:1']])(
    'says in one line that a share cannot have the name %#',
    async (...args) => {
      const world = worldOf();
      expect(await world.run('proxy', '--name', 'A b', ...args)).toBe(2);
      expect(world.stdout.text).toBe('');
      expect(world.stderr.text).toContain('--name must be 1 to 32 lower-case letters, digits and hyphens, not "A b".');
    },
  );

  it.each([
    [
      '0.0.0.0',
      '--listen must be the loopback, such as 127.0.0.1, unless the proxy has a token; "0.0.0.0" is open to others.',
    ],
    ['127.0.0.1:4811', '--listen must be an address such as 127.0.0.1 or ::1, without a port, not "127.0.0.1:4811".'],
    ['[::1]:4811', '--listen must be an address such as 127.0.0.1 or ::1, without a port, not "[::1]:4811".'],
  ])('says in one line why it does not listen at %s', async (address, problem) => {
    const world = worldOf();
    expect(await world.run('proxy', '--listen', address)).toBe(2);
    expect([world.stdout.text, world.stderr.text.split('\n')[0]]).toEqual(['', `stacks-quota: ${problem}`]);
  });

  it.each(['not a url with a password', ''])(
    'refuses a URL of Redis that is none, without repeating it: %j',
    async (url) => {
      const world = worldOf();
      expect(await world.run('proxy', '--port', '0', '--redis', url)).toBe(2);
      expect(world.stderr.text).toMatch(/^stacks-quota: --redis \(or STACKS_REDIS_URL\) must be a URL such as redis:/);
      expect(world.stderr.text).not.toContain('password');
    },
  );

  it('says where a token that cannot be one comes from, without repeating it', async () => {
    const world = worldOf();
    expect(await world.run('proxy', '--token-file', fileWith('short'))).toBe(2);
    expect(world.stderr.text).toMatch(
      /^stacks-quota: --token-file \(or STACKS_PROXY_TOKEN\) must be 16 to 512 visible/,
    );
    expect(world.stderr.text).not.toContain('short');
  });

  it('prints its help', async () => {
    const world = worldOf();
    expect(await world.run('proxy', '--help')).toBe(0);
    expect(world.stdout.text).toContain('stacks-quota proxy [flags]');
  });
});
