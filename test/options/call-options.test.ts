import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type CallOptions, callOptionsParser } from '../../src/options/client-options.ts';
import { refusal } from '../support/refusal.ts';
import { KEY } from './support/settings.ts';

describe('the options of a call', () => {
  /** Stands for callers without types. */
  const check: (options: unknown) => CallOptions = callOptionsParser({});

  test('may be left out', () => {
    expect({ ...check({}) }).toEqual({});
  });

  test('are given back as they are', () => {
    const options: CallOptions<{ height: number }> = {
      signal: new AbortController().signal,
      priority: -1.5,
      maxWaitMs: Infinity,
      timeoutMs: 1,
      cost: 0,
      schema: z.object({ height: z.number() }),
      headers: { 'If-None-Match': '"abc"', accept: 'ä' },
    };
    const checked = check(options);
    expect({ ...checked }).toEqual(options);
    expect(checked.signal).toBe(options.signal);
    expect(checked.schema).toBe(options.schema);
  });

  test('may have a schema that is a function, as some libraries make them', () => {
    const schema = Object.assign(() => {}, {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ value: 1 }) },
    });
    expect(check({ schema }).schema).toBe(schema);
  });

  test.each<[object, string]>([
    [{ priority: Number.NaN }, 'priority must be a finite number, not NaN'],
    [{ priority: Infinity }, 'priority must be a finite number, not Infinity'],
    [{ priority: 'high' }, 'priority must be a finite number, not "high"'],
    [{ maxWaitMs: -1 }, 'maxWaitMs must be milliseconds, 0 or more, or Infinity, not -1'],
    [{ timeoutMs: -1 }, 'timeoutMs must be a finite number of milliseconds, more than 0, not -1'],
    [{ cost: -1 }, 'cost must be a finite number of units, 0 or more, not -1'],
    [{ cost: Infinity }, 'cost must be a finite number of units, 0 or more, not Infinity'],
    [{ signal: new AbortController() }, 'signal must be an AbortSignal, not an object (AbortController)'],
    [{ signal: null }, 'signal must be an AbortSignal, not null'],
    [{ schema: null }, 'schema must be a Standard Schema, not null'],
    [{ schema: { parse: () => {} } }, 'schema must be a Standard Schema, not an object'],
    [
      { schema: { '~standard': { version: 2, validate: () => {} } } },
      'schema must be a Standard Schema, not an object',
    ],
    [{ headers: 'accept: text/html' }, 'headers must be an object of names and values, not "accept: text/html"'],
    [{ headers: new Headers({ a: 'b' }) }, 'headers must be an object of names and values, not an object (Headers)'],
    [{ headers: [['a', 'b']] }, 'headers must be an object of names and values, not an array'],
    [
      { retries: 3 },
      'retries is not one of the call options: signal, label, priority, maxWaitMs, maxQueueMs, timeoutMs, cost, schema, headers',
    ],
  ])('with %o are refused, saying what would be right', (options, message) => {
    const error = refusal(() => check(options));
    expect(error.message).toBe(message);
    expect(error.option).toBe(Object.keys(options)[0]);
  });

  test.each(['x-api-key', 'X-API-Key', 'x-hiro-api-key'])('must not carry a key in %s', (name) => {
    const error = refusal(() => check({ headers: { [name]: KEY } }));
    expect(error.option).toBe('headers');
    expect(error.message).toBe(`headers cannot carry a key in ${name}: it is the option apiKey`);
  });

  test.each(['', 'two words', 'a:b', 'a\r\nb', 'ä', 'a\u0000'])('must not have a header of the name %j', (name) => {
    expect(refusal(() => check({ headers: { [name]: 'x' } })).message).toBe(
      `headers cannot have the name ${JSON.stringify(name)}`,
    );
  });

  test.each([
    'secret\r\nx-api-key: y',
    'secret\n',
    'secret\u0000',
    'secret\t',
    'secret\u007f',
    'secret€',
    5,
    null,
    ['secret'],
  ])('must not have a header of the value %j, which is not repeated', (value) => {
    const { message } = refusal(() => check({ headers: { accept: value } }));
    expect(message).toBe('headers must have Latin-1 text for accept, without line breaks and other control characters');
  });

  test('that pass make headers that fetch takes', () => {
    for (let code = 0x20; code <= 0xff; code++) {
      const headers = { accept: `a${String.fromCharCode(code)}b` };
      if (code === 0x7f) refusal(() => check({ headers }));
      else expect(new Headers(check({ headers }).headers).get('accept')).toBe(headers.accept);
    }
  });
});
