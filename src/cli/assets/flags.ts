import type { AddressAssetsParams } from '../../index.ts';
import { ACCESS_FLAGS, type AccessFlags, CONCURRENCY_FLAG, concurrencyOf, maxWaitOf, timeoutOf } from '../access.ts';
import { UsageError } from '../exit.ts';
import { type KnownFlags, readFlags, whole } from '../flags.ts';
import type { PageRequest } from './pages.ts';
import type { FileMode } from './sink.ts';

const FLAGS = {
  from: {
    type: 'string',
    multiple: true,
    value: 'FILE',
    about: 'addresses, one per line; - is standard input; # begins a comment',
  },
  all: { type: 'boolean', about: 'all events of each account; else the latest 20, or --limit' },
  limit: { type: 'string', value: 'N', about: 'events per page, up to 100', fallback: '20, or 100 with --all' },
  offset: { type: 'string', value: 'N', about: 'number of latest events to skip' },
  unanchored: { type: 'boolean', about: 'include events that are not anchored yet' },
  'until-block': { type: 'string', value: 'B', about: 'the last block to include: its height or its hash' },
  out: { type: 'string', short: 'o', value: 'FILE', about: 'write to FILE, which must not exist' },
  resume: { type: 'boolean', about: 'continue the file of --out: accounts in it are not fetched again' },
  force: { type: 'boolean', about: 'replace the file of --out' },
  concurrency: CONCURRENCY_FLAG,
  'max-wait': { type: 'string', value: 'TIME', about: 'give up if quota is exhausted for longer', fallback: '6h' },
  json: { type: 'boolean', about: 'lines of JSON, which they are anyway' },
  quiet: { type: 'boolean', short: 'q', about: 'only errors on standard error' },
  ...ACCESS_FLAGS,
} as const satisfies KnownFlags;

/** The flags of `assets`. */
export const ASSETS_FLAGS: KnownFlags = FLAGS;

/** Settings of the job. */
export interface AssetsFlags {
  readonly words: readonly string[];
  readonly files: readonly string[];
  readonly request: PageRequest;
  /** The output file and how to open it; undefined for standard output. */
  readonly out: { readonly path: string; readonly mode: FileMode } | undefined;
  readonly concurrency: number;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly isQuiet: boolean;
  readonly access: AccessFlags;
}

/**
 * Reads the flags of the job.
 *
 * @throws UsageError with one sentence on what is wrong with them.
 */
export function readAssetsFlags(args: readonly string[]): AssetsFlags {
  const { values, positionals: words } = readFlags(args, FLAGS);
  const { out: path, resume = false, force = false } = values;
  const isFile = path !== undefined && path !== '-';
  if (!isFile && (resume || force)) throw new UsageError(`--${resume ? 'resume' : 'force'} requires --out FILE.`);
  if (resume && force) throw new UsageError('--resume and --force cannot be combined.');
  return {
    words,
    files: values.from ?? [],
    request: { params: paramsOf(values), isAll: values.all ?? false },
    out: isFile ? { path, mode: modeOf(resume, force) } : undefined,
    concurrency: concurrencyOf(values),
    maxWaitMs: maxWaitOf(values, FLAGS),
    timeoutMs: timeoutOf(values),
    isQuiet: values.quiet ?? false,
    access: values,
  };
}

function modeOf(resume: boolean, force: boolean): FileMode {
  if (resume) return 'append';
  return force ? 'replace' : 'new';
}

/** Checks only the form of the values; the client checks their range. */
function paramsOf(values: {
  readonly all?: boolean | undefined;
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  readonly unanchored?: boolean | undefined;
  readonly 'until-block'?: string | undefined;
}): AddressAssetsParams {
  const { all, limit, offset, unanchored, 'until-block': block } = values;
  if (unanchored && block !== undefined) {
    throw new UsageError('--unanchored and --until-block cannot be combined.');
  }
  if (all && offset !== undefined) {
    throw new UsageError('--all and --offset cannot be combined.');
  }
  const size = limit === undefined ? undefined : whole('--limit', limit, all ? 2 : 0);
  if (size !== undefined && size > 100) throw new UsageError(`--limit must be at most 100, not "${limit}".`);
  if (block !== undefined && !/^(\d{1,15}|0x[0-9a-fA-F]{64})$/.test(block)) {
    throw new UsageError('--until-block must be the height of a block or its hash (0x, 64 hexadecimal digits).');
  }
  return {
    limit: size,
    offset: offset === undefined ? undefined : whole('--offset', offset, 0),
    unanchored,
    untilBlock: block === undefined || block.startsWith('0x') ? block : Number(block),
  };
}
