import { ACCESS_FLAGS, type AccessFlags, maxWaitOf, timeoutOf, WAIT_FLAG } from '../access.ts';
import { UsageError } from '../exit.ts';
import { assignment, type KnownFlags, keyGiven, readFlags } from '../flags.ts';

const FLAGS = {
  query: {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    about: 'a parameter for the query, encoded here; may be repeated',
  },
  header: {
    type: 'string',
    short: 'H',
    multiple: true,
    value: 'NAME:VALUE',
    about: 'a header of the request; may be repeated',
  },
  include: { type: 'boolean', short: 'i', about: 'status and headers of the response, before the body' },
  json: {
    type: 'boolean',
    about: 'one line of JSON: the body, or with --include {"status": ..., "headers": {...}, "body": ...}',
  },
  'max-wait': WAIT_FLAG,
  ...ACCESS_FLAGS,
} as const satisfies KnownFlags;

/** The flags of `get`. */
export const GET_FLAGS: KnownFlags = FLAGS;

/** What to get, and how to show it. */
export interface GetFlags {
  /** Begins with a slash; with its query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly includesHeaders: boolean;
  readonly isJson: boolean;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly access: AccessFlags;
}

/**
 * Reads the flags of `get`.
 *
 * @throws UsageError with one sentence on what is wrong with them.
 */
export function readGetFlags(args: readonly string[]): GetFlags {
  const { values, positionals } = readFlags(args, FLAGS);
  const [path, ...others] = positionals;
  if (path === undefined) throw new UsageError('Missing path: pass one such as /extended/v1/info.');
  if (others.length > 0) throw new UsageError(`get takes one path, not ${positionals.length}.`);
  if (!/^\/(?![\\/])/.test(path)) {
    throw new UsageError('PATH must begin with one slash, such as /extended/v1/info; --url says which service.');
  }
  return {
    path: withQuery(path, values.query ?? []),
    headers: (values.header ?? []).map(readHeader),
    includesHeaders: values.include ?? false,
    isJson: values.json ?? false,
    maxWaitMs: maxWaitOf(values, FLAGS),
    timeoutMs: timeoutOf(values),
    access: values,
  };
}

function withQuery(path: string, parameters: readonly string[]): string {
  const query = new URLSearchParams(
    parameters.map((text): [string, string] => {
      const { name, value } = assignment(text);
      if (!name) throw new UsageError(`--query must be a name and a value, such as limit=5, not "${text}".`);
      return [name, value];
    }),
  );
  if (query.size === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function readHeader(text: string): [string, string] {
  const [, name, value = ''] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined)
    throw new UsageError('--header must be a name, a colon and a value, such as accept:text/plain.');
  if (/api-?key|^authorization$/i.test(name)) throw keyGiven('a header');
  return [name, value];
}
