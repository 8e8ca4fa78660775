import { ConfigError, kindOf } from '../errors.ts';

/** A key, or a function that returns a key or, for none, `undefined`. */
export type KeySource = string | (() => string | undefined | Promise<string | undefined>);

/** The service's URL and the key. */
export interface Credentials {
  /** Normalised, without a trailing slash. */
  readonly baseUrl: string;
  /**
   * Returns the key, or `undefined` without one. It is a function, so that no inspected object shows the key. Rejects with
   * ConfigError if the caller's function returned an invalid key, and with that function's error if it fails.
   */
  readonly key: () => string | undefined | Promise<string | undefined>;
}

/** Properties of the runtime that decide whether there can be a client, and with which key. */
export interface KeyEnvironment {
  /** Whether it is a page or a worker in a browser, where every visitor can read every secret. */
  readonly browser: boolean;
  /** The version of Node, if it is Node; other runtimes name one that they are compatible with. */
  readonly node?: string | undefined;
  /** Environment variables; empty in a browser. */
  readonly variables: {
    readonly STACKS_API_URL?: string | undefined;
    readonly STACKS_API_KEY?: string | undefined;
    readonly DEBUG?: string | undefined;
  };
}

/**
 * Determines the URL of the service and the key, from the options, else from the environment.
 *
 * @throws ConfigError, which never quotes a key or a URL, because both can contain a secret.
 */
export function readCredentials(
  options: { baseUrl?: string | undefined; apiKey?: KeySource | undefined; dangerouslyAllowBrowser: boolean },
  { browser, variables }: KeyEnvironment,
): Credentials {
  const [urlOption, url] =
    options.baseUrl === undefined
      ? ['STACKS_API_URL', variables.STACKS_API_URL || undefined]
      : ['baseUrl', options.baseUrl];
  const [keyOption, source] =
    options.apiKey === undefined
      ? ['STACKS_API_KEY', variables.STACKS_API_KEY || undefined]
      : ['apiKey', options.apiKey];
  const base = parseUrl(urlOption, url ?? 'https://api.hiro.so');
  if (source !== undefined && browser && !options.dangerouslyAllowBrowser) {
    throw new ConfigError(
      keyOption,
      'would be visible to every visitor of this page: keep it on a server, or set dangerouslyAllowBrowser',
    );
  }
  if (source !== undefined && base.protocol === 'http:' && !isLoopback(base.hostname)) {
    throw new ConfigError(urlOption, `must be https when a key is set (${keyOption}), except on this machine`);
  }
  return { baseUrl: base.origin + base.pathname.replace(/\/+$/, ''), key: keyProvider(keyOption, source) };
}

function parseUrl(option: string, text: string): URL {
  const wrong = (problem: string): ConfigError => new ConfigError(option, problem);
  if (text.length > 2_048) throw wrong(`must be a URL of at most 2048 characters, not ${text.length}`);
  if (!/^https?:\/\/[^/]/i.test(text)) throw wrong('must begin with https:// or http://, such as https://api.hiro.so');
  if (/[\s\p{Cc}\\]/u.test(text)) throw wrong('must not have white space, control characters or backslashes');
  if (/[?#]/.test(text)) throw wrong('must not have a query or a fragment');
  if (!URL.canParse(text)) throw wrong('must be a URL such as https://api.hiro.so');
  const url = new URL(text);
  if (url.username || url.password) throw wrong('must not have a user name or a password');
  return url;
}

/** Whether a host, as the URL parser writes it (`127.1` has become `127.0.0.1`), is this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function keyProvider(option: string, source: KeySource | undefined): Credentials['key'] {
  if (typeof source === 'function') return async () => checkKey(option, await source());
  const key = checkKey(option, source);
  return () => key;
}

/** Rejects keys that `fetch` would trim, or quote in its error. */
function checkKey(option: string, key: unknown): string | undefined {
  if (key === undefined) return undefined;
  if (typeof key !== 'string')
    throw new ConfigError(option, `must be a string or a function that returns one, not ${kindOf(key)}`);
  if (key === '') throw new ConfigError(option, 'is empty: omit it to call without a key');
  if (!/^[\x21-\x7e]{1,512}$/.test(key)) {
    throw new ConfigError(option, 'must be 1 to 512 visible ASCII characters, without spaces and line breaks');
  }
  return key;
}

/** Globals that identify the runtime. */
interface Globals {
  readonly process?: {
    readonly versions?: { readonly node?: string; readonly bun?: string; readonly deno?: string };
    readonly env?: Readonly<Record<string, string>>;
  };
  readonly document?: unknown;
  readonly importScripts?: unknown;
  readonly navigator?: { readonly userAgent?: unknown };
}

/**
 * Distinguishes a browser from a server, and Node from the others, by their globals.
 *
 * Node is checked first, because a test runner may define `document`; Deno and Bun identify as Node. A browser's worker has
 * `importScripts`; the worker of an edge service, which is a server, does not. Cloudflare's had it before March 2024, and still
 * has with a `compatibility_date` of then.
 */
export function environmentOf(globals: object = globalThis): KeyEnvironment {
  const { document, importScripts, navigator }: Globals = globals;
  const process = own<NonNullable<Globals['process']>>(globals, 'process');
  const { node, bun, deno } = process?.versions ?? {};
  const isServer = node !== undefined || navigator?.userAgent === 'Cloudflare-Workers';
  const browser = !isServer && (typeof document === 'object' || typeof importScripts === 'function');
  const [STACKS_API_URL, STACKS_API_KEY, DEBUG] = ['STACKS_API_URL', 'STACKS_API_KEY', 'DEBUG'].map((name) =>
    browser ? undefined : own<string>(process?.env ?? {}, name),
  );
  return { browser, node: (bun ?? deno) ? undefined : node, variables: { STACKS_API_URL, STACKS_API_KEY, DEBUG } };
}

/** Reads an own property; undefined if that throws, as in Deno without permission to read the environment. */
function own<T>(object: object, name: string): T | undefined {
  try {
    return Object.hasOwn(object, name) ? (object as Record<string, T>)[name] : undefined;
  } catch {
    return undefined;
  }
}
