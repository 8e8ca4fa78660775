import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { readSettings } from '../../src/options/client-options.ts';
import { environmentOf, type KeyEnvironment } from '../../src/options/credentials.ts';
import { wrongWithNode } from '../../src/version.ts';
import { refusal } from '../support/refusal.ts';
import { KEY, settings } from './support/settings.ts';

const browser: KeyEnvironment = { browser: true, variables: {} };

describe('the environment', () => {
  const variables = { STACKS_API_URL: 'https://env.example/', STACKS_API_KEY: 'from-env' };

  test('gives the base URL and the key where the options do not', () => {
    const found = settings({}, { browser: false, variables });
    expect(found.baseUrl).toBe('https://env.example');
    expect(found.key()).toBe('from-env');
  });

  test('gives way to the options', () => {
    const options = { baseUrl: 'https://gateway.example', apiKey: () => undefined };
    const found = settings(options, { browser: false, variables });
    expect(found.baseUrl).toBe('https://gateway.example');
    return expect(found.key()).resolves.toBeUndefined();
  });

  test('with empty variables is one without them', () => {
    const found = settings({}, { browser: false, variables: { STACKS_API_URL: '', STACKS_API_KEY: '' } });
    expect(found.baseUrl).toBe('https://api.hiro.so');
    expect(found.key()).toBeUndefined();
  });

  test.each([
    [{ STACKS_API_URL: 'nonsense' }, 'STACKS_API_URL'],
    [{ STACKS_API_KEY: 'two words' }, 'STACKS_API_KEY'],
    [{ STACKS_API_URL: 'http://env.example', STACKS_API_KEY: 'from-env' }, 'STACKS_API_URL'],
  ])('with the bad variables %o is refused by their name', (variables, option) => {
    expect(refusal(() => settings({}, { browser: false, variables })).option).toBe(option);
  });

  test('is that of this process by default', () => {
    vi.stubEnv('STACKS_API_URL', 'https://process.example');
    vi.stubEnv('STACKS_API_KEY', 'from-process');
    const found = readSettings();
    expect(found.baseUrl).toBe('https://process.example');
    expect(found.key()).toBe('from-process');
  });

  test('is read only where it is its own', () => {
    const env = Object.create({ STACKS_API_KEY: 'planted' });
    expect(environmentOf({ process: { env, versions: { node: '24' } } }).variables.STACKS_API_KEY).toBeUndefined();
    const globals = Object.create({ process: { env: { STACKS_API_KEY: 'planted' }, versions: { node: '24' } } });
    expect(environmentOf(globals).variables.STACKS_API_KEY).toBeUndefined();
  });

  test('that may not be read is an empty one', () => {
    const env = new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          throw new Error('NotCapable');
        },
      },
    );
    expect(environmentOf({ process: { env, versions: { node: '24' } } }).variables.STACKS_API_KEY).toBeUndefined();
  });
});

describe('a browser', () => {
  const env = { STACKS_API_KEY: 'baked in by a bundler' };
  const node = { process: { env, versions: { node: '24.21.0' } } };

  test.each<[string, object, boolean]>([
    ['a page', { document: {}, window: {} }, true],
    ['a page with what a bundler puts for process', { document: {}, process: { env, versions: {} } }, true],
    ['a worker', { importScripts: () => {} }, true],
    ['Node', node, false],
    ['a test of a page under Node', { ...node, document: {}, window: {} }, false],
    ['Deno or Bun, in a worker', { ...node, importScripts: () => {} }, false],
    ['an edge service', { WorkerGlobalScope: class {}, navigator: { userAgent: 'edge' } }, false],
    ['an edge service of old', { importScripts: () => {}, navigator: { userAgent: 'Cloudflare-Workers' } }, false],
    ['an edge service with variables', { process: { env } }, false],
    ['nothing at all', {}, false],
  ])('is told from a server: %s', (_, globals, isBrowser) => {
    expect(environmentOf(globals).browser).toBe(isBrowser);
  });

  test('has no environment to read', () => {
    expect(environmentOf({ document: {}, process: { env } }).variables).toEqual({});
    expect(environmentOf({ process: { env } }).variables).toEqual(env);
  });

  test.each([[KEY], [() => KEY]])('must have no key, and says why', (apiKey) => {
    const error = refusal(() => settings({ apiKey }, browser));
    expect(error.option).toBe('apiKey');
    expect(error.message).toMatch(/^apiKey would be visible to every visitor of this page: .* dangerouslyAllowBrowser/);
  });

  test('may have a key when that is said to be meant', () => {
    expect(settings({ apiKey: KEY, dangerouslyAllowBrowser: true }, browser).key()).toBe(KEY);
    expect(refusal(() => settings({ apiKey: KEY, dangerouslyAllowBrowser: false }, browser)).option).toBe('apiKey');
  });

  test('needs no leave to call without a key', () => {
    expect(settings({}, browser).key()).toBeUndefined();
  });
});

describe('Node', () => {
  test('must be as new as the package says', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
    const [, oldest = ''] = /^>=(\d+\.\d+)\.0$/.exec(engines.node) ?? [];
    expect(wrongWithNode(`${oldest}.0`)).toBeUndefined();
    expect(wrongWithNode('22.11.9')).toContain(`is version 22.11.9, and stacks-quota needs ${oldest} or later`);
  });

  test.for([
    ['24.21.0', true],
    ['23.0.0', true],
    ['100.0.0', true],
    ['22.13.1', true],
    ['20.20.2', false],
    ['9.99.0', false],
  ] as const)('%s will do: %s', ([version, isFine]) => {
    expect(wrongWithNode(version) === undefined).toBe(isFine);
  });

  test('of an unsupported version is refused when a client is created', () => {
    const old = environmentOf({ process: { env: {}, versions: { node: '20.20.2' } } });
    const { option, message } = refusal(() => settings({}, old));
    expect([option, message]).toEqual([
      'Node',
      expect.stringMatching(/^Node is version 20\.20\.2, and stacks-quota needs/),
    ]);
  });

  test.each(['bun', 'deno'])('is not what %s is, although it names a version of Node', (runtime) => {
    const other = environmentOf({ process: { env: {}, versions: { node: '20.0.0', [runtime]: '2.0.0' } } });
    expect(settings({}, other).baseUrl).toBe('https://api.hiro.so');
  });
});
