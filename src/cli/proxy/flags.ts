import { ACCESS_FLAGS, type AccessFlags, CONCURRENCY_FLAG, concurrencyOf, maxWaitOf, timeoutOf } from '../access.ts';
import { type KnownFlags, noArguments, port, readFlags, textIn } from '../flags.ts';

const text = { type: 'string' } as const;

const FLAGS = {
  port: { ...text, value: 'N', about: 'the port; 0 for any free one', fallback: '3999' },
  listen: {
    ...text,
    value: 'ADDRESS',
    about: 'listen there, at --port; others need a token',
    fallback: '127.0.0.1, this machine only',
  },
  'token-file': {
    ...text,
    value: 'FILE',
    about: 'a file that holds the token that requests must carry',
    fallback: 'STACKS_PROXY_TOKEN',
  },
  'max-wait': {
    ...text,
    value: 'TIME',
    about: 'maximum time to wait for quota; after it, 503 with retry-after',
    fallback: '5m',
  },
  concurrency: CONCURRENCY_FLAG,
  redis: {
    ...text,
    value: 'URL',
    about: 'share the quota with other processes through Redis; needs the package redis',
    fallback: 'STACKS_REDIS_URL',
  },
  name: {
    ...text,
    value: 'NAME',
    about: 'share the quota by this name: through Redis, or with the processes of this machine (localShare)',
    fallback: 'not shared; with --redis: proxy',
  },
  ...ACCESS_FLAGS,
} as const satisfies KnownFlags;

/** The flags of `proxy`. */
export const PROXY_FLAGS: KnownFlags = FLAGS;

/** Settings of the proxy. */
export interface ProxyFlags {
  readonly access: AccessFlags;
  readonly port: number;
  readonly host: string;
  readonly token: string | undefined;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** The share to join: through Redis or, without one, with the processes of this machine. */
  readonly share: { readonly redis: string | undefined; readonly name: string } | undefined;
}

/**
 * Reads the flags of the proxy.
 *
 * @throws UsageError with one sentence about the problem.
 */
export async function readProxyFlags(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProxyFlags> {
  const { values, positionals } = readFlags(args, FLAGS);
  noArguments('proxy', positionals);
  const { url, 'key-file': keyFile, listen, 'token-file': tokenFile, name } = values;
  const token =
    tokenFile === undefined ? env.STACKS_PROXY_TOKEN || undefined : (await textIn('--token-file', tokenFile)).trim();
  const redis = values.redis ?? (env.STACKS_REDIS_URL || undefined);
  return {
    access: { url, 'key-file': keyFile },
    port: port(values.port ?? FLAGS.port.fallback),
    host: listen ?? '127.0.0.1',
    token,
    maxWaitMs: maxWaitOf(values, FLAGS),
    timeoutMs: timeoutOf(values),
    concurrency: concurrencyOf(values),
    share: redis === undefined && name === undefined ? undefined : { redis, name: name ?? 'proxy' },
  };
}
