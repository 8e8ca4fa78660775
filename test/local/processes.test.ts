import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMockService, type MockService } from 'stacks-quota/testing';
import { afterAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { expectAllServed, startCrew, startWorker } from '../redis/support/crew.ts';
import type { Job } from '../redis/support/worker.ts';
import { endAll, startChild } from '../support/child.ts';
import { cases, DEEP, runs } from '../support/deep.ts';
import { builtEntry } from '../support/programs.ts';

const KEY = 'the-key-of-all';
const PATIENCE_MS = 60_000;

async function serve({ onTestFinished }: TestContext): Promise<{ service: MockService; job: (calls: number) => Job }> {
  const directory = mkdtempSync(join(tmpdir(), 'local-processes-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const service = createMockService({ keys: [KEY], keyed: { second: 40, month: 100_000 }, latencyMs: [5, 20] });
  const { url, close } = await service.listen();
  onTestFinished(close);
  const place = { service: url, store: join(directory, 'share'), share: 'test', key: KEY, library: 'none' as const };
  return { service, job: (calls) => ({ ...place, calls, atOnce: 32 }) };
}

describe.concurrent('processes that share a key on one machine', () => {
  // The next test has three processes, too, one of which is stopped.
  it.runIf(DEEP).for([4, 8])('make all calls of %i of them that start together', async (size, context) => {
    const { service, job } = await serve(context);
    const calls = 120;
    const crew = await startCrew(size, () => job(calls));
    expectAllServed(service, await Promise.all(crew.map(({ end }) => end)), calls);
  });

  it.for(cases(['SIGSTOP'], ['SIGKILL']))(
    'make all calls when the first gets %s, which keeps the books',
    async (signal, context) => {
      const { service, job } = await serve(context);
      const first = await startWorker(job(10_000));
      first.go();
      await vi.waitFor(() => expect(first.served()).toBeGreaterThan(5), { timeout: PATIENCE_MS, interval: 20 });
      const others = await startCrew(runs(2, 4), () => job(80));
      await vi.waitFor(() => expect(others[0]?.served()).toBeGreaterThan(5), { timeout: PATIENCE_MS, interval: 20 });
      first.process.kill(signal);
      expectAllServed(service, await Promise.all(others.map(({ end }) => end)), 80);
      // Another has taken over. On a busy machine processes may have gone on without a grant for a moment, and said so.
      expect(others.some(({ events }) => events.at(-1)?.type !== 'share-lost')).toBe(true);
      first.process.kill('SIGKILL');
    },
  );
});

/** A program that has lost its store for ever, and has nothing else to do. */
const LOST = `
  const { createClient } = await import('${builtEntry('stacks-quota')}');
  const { customShare } = await import('${builtEntry('stacks-quota/sharing')}');
  const { createMockService } = await import('${builtEntry('stacks-quota/testing')}');
  const service = createMockService();
  const fail = () => Promise.reject(new Error('gone'));
  const store = new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : fail) });
  let isLost = false;
  const onEvent = ({ type }) => { isLost ||= type === 'share-lost'; };
  const client = createClient({ baseUrl: service.origin, fetch: service.fetch, share: customShare({ storeOf: () => store }), onEvent });
  while (!isLost) await client.getInfo();
  console.log('lost');
`;

/** A program that shares a key by itself, and has nothing else to do. */
const ALONE = `
  const { createClient } = await import('${builtEntry('stacks-quota')}');
  const { localShare } = await import('${builtEntry('stacks-quota/local')}');
  const { createMockService } = await import('${builtEntry('stacks-quota/testing')}');
  const service = createMockService({ keyed: { second: 20, minute: 500 }, keys: ['key'] });
  const share = localShare({ name: 'alone', directory: process.argv[1] });
  const client = createClient({ baseUrl: service.origin, apiKey: 'key', fetch: service.fetch, share });
  await client.getInfo();
  const { readdirSync } = await import('node:fs');
  console.log(readdirSync(process.argv[1]).filter((file) => file.endsWith('.sock')).length);
`;

it.concurrent('a process that keeps the books ends when it has nothing more to do, and leaves no socket', {
  timeout: PATIENCE_MS,
}, async ({ onTestFinished }) => {
  const directory = mkdtempSync(join(tmpdir(), 'local-processes-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const command = [process.execPath, '--no-warnings', '--input-type=module', '--eval', ALONE, directory];
  expect(await startChild(command, {}).ending).toMatchObject({ code: 0, out: '1\n', err: '' });
  expect(readdirSync(directory).filter((file) => file.endsWith('.sock'))).toEqual([]);
});

it.concurrent('a process ends when it has nothing more to do, also while its store is lost', {
  timeout: PATIENCE_MS,
}, async () => {
  const child = startChild([process.execPath, '--no-warnings', '--input-type=module', '--eval', LOST], {});
  expect(await child.ending).toMatchObject({ code: 0, out: 'lost\n' });
});

afterAll(endAll);
