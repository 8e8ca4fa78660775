import { ConfigError, isClosed, isKeyRefusal, isQuotaExhausted, isServiceError, quote } from '../errors.ts';
import {
  argument,
  callback,
  count,
  flag,
  isWhole,
  optionsParser,
  signal,
  whole,
  withDefault,
  wrongReturn,
} from '../validation/arguments.ts';
import type { BulkProgress } from './progress.ts';

/** Position of a bulk, as plain JSON to store in a file or a database. Its size is bounded by the concurrency. */
export interface BulkCheckpoint {
  /** Number of items taken from the input. */
  readonly next: number;
  /** Places, counted from 0, of the items among them that are not finished. A bulk that continues from here runs them first. */
  readonly undone: readonly number[];
}

/** Options of a bulk. All have defaults. One that is invalid or unknown is a ConfigError that names it. */
export interface BulkOptions {
  /** Maximum number of items held at a time, taken from the input and not yielded yet: a whole number, 1 or more. Default: the client's `concurrency`. */
  readonly concurrency?: number | undefined;
  /** Whether outcomes are yielded in the order of the items. Default: false, in the order in which they finish. */
  readonly ordered?: boolean | undefined;
  /** Number of items, 0 or more, for the progress. Default: the length or size of an array, a set or a map; else unknown. */
  readonly total?: number | undefined;
  /** The checkpoint to continue from, of an earlier run over the same items in the same order. Default: the first item. */
  readonly from?: BulkCheckpoint | undefined;
  /** Ends the bulk: the loop then throws the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether an error is fatal, because all other items would fail in the same way. Default: QuotaExhaustedError, and ServiceError
   * with status 401 or 403. ClosedError is always fatal.
   */
  readonly isFatal?: ((error: unknown) => boolean) | undefined;
  /** Failures in a row that stop the bulk, because the items are not the cause: a whole number, 1 or more, or Infinity. A ConfigError does not count. Default: 100. */
  readonly maxFailuresInARow?: number | undefined;
  /** Called whenever an item is finished. Errors it throws are ignored. Default: none. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

/** {@link BulkOptions}, checked and complete. */
export interface BulkSettings
  extends Omit<BulkOptions, 'concurrency' | 'ordered' | 'isFatal' | 'maxFailuresInARow' | 'from'> {
  readonly concurrency: number;
  readonly ordered: boolean;
  readonly from: BulkCheckpoint;
  readonly isFatal: (error: unknown) => boolean;
  readonly maxFailuresInARow: number;
}

const BEGINNING: BulkCheckpoint = { next: 0, undone: [] };

function known(concurrency: number) {
  return {
    concurrency: withDefault(count, concurrency),
    ordered: withDefault(flag, false),
    total: whole,
    from: withDefault(argument<BulkCheckpoint>(isCheckpoint, 'the checkpoint of a bulk: { next, undone }'), BEGINNING),
    signal,
    isFatal: withDefault(callback<(error: unknown) => boolean>(), isHopeless),
    maxFailuresInARow: withDefault(
      argument<number>((n) => n === Infinity || (isWhole(n) && n >= 1), 'a whole number, 1 or more, or Infinity'),
      100,
    ),
    onProgress: callback<(progress: BulkProgress) => void>(),
  };
}

/**
 * Checks the options of a bulk and adds defaults.
 *
 * @throws ConfigError that names the invalid option.
 */
export function readBulkOptions(items: unknown, options: BulkOptions, concurrency: number): BulkSettings {
  // A string is iterable by character, which is hardly ever intended.
  const isList =
    typeof items === 'object' && items !== null && (Symbol.iterator in items || Symbol.asyncIterator in items);
  if (!isList) throw new ConfigError('items', `must be an iterable or an async iterable, not ${quote(items)}`);
  const settings = optionsParser('bulk options', known(concurrency))(options);
  const { isFatal } = settings;
  return {
    ...settings,
    total: settings.total ?? sizeOf(items),
    isFatal(error) {
      const found: unknown = isClosed(error) || isFatal(error);
      if (found instanceof Promise) throw wrongReturn('isFatal', 'true or false', found);
      return Boolean(found);
    },
  };
}

function sizeOf(items: object): number | undefined {
  const { length, size } = items as { readonly length?: unknown; readonly size?: unknown };
  return [length, size].find(isWhole);
}

function isHopeless(error: unknown): boolean {
  return isQuotaExhausted(error) || (isServiceError(error) && isKeyRefusal(error.status));
}

function isCheckpoint(value: BulkCheckpoint | null): boolean {
  if (typeof value !== 'object' || value === null || !isWhole(value.next) || !Array.isArray(value.undone)) return false;
  return value.undone.every((index) => isWhole(index) && index < value.next);
}
