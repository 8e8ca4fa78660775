import { describe, expect, it } from 'vitest';
import type { CallOptions } from '../../src/options/client-options.ts';
import { wire } from '../support/wire.ts';

const THROWN = new Error('of the getter');

const fail = (): never => {
  throw THROWN;
};

/** What a call ends with, whether it throws or rejects. */
const endOf = async (call: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await call();
  } catch (error) {
    return error;
  }
};

describe('options whose reading throws', () => {
  it.each<[string, () => object]>([
    ['a getter', () => Object.defineProperty({}, 'priority', { get: fail, enumerable: true })],
    ['a getter of headers', () => ({ headers: Object.defineProperty({}, 'x-mine', { get: fail, enumerable: true }) })],
    ['a proxy', () => new Proxy({}, { ownKeys: fail, get: fail })],
    ['a signal', () => ({ signal: new Proxy(new AbortController().signal, { get: fail }) })],
  ])('fail their call with that error, and leave nothing held: %s', async (_, options) => {
    const { client, call, last, names, clock } = wire({ concurrency: 1 });
    expect(await endOf(() => client.getInfo(options() as CallOptions))).toBe(THROWN);
    expect(client.quota()).toMatchObject({ inFlight: 0, held: 0, waiting: 0 });
    const next = await call('next');
    await last('next').answer();
    expect([next.now(), names()]).toEqual(['answered', ['next']]);
    expect(clock.timers).toBe(0);
  });
});

it('a listener that is no function is refused when it subscribes, not with the first event', () => {
  const { client } = wire();
  expect(() => client.subscribe('log' as unknown as () => void)).toThrow('listener must be a function, not "log"');
});
