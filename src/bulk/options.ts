import { ConfigError, isClosed, isQuotaExhausted, isServiceError, quote } from '../errors.ts';
import { argument, flag, optionsParser, withDefault } from '../validation/arguments.ts';
import type { BulkProgress } from './progress.ts';

/** Where a bulk is: plain JSON, to be kept in a file or a database. Its size is bounded by the concurrency. */
export interface BulkCheckpoint {
  /** How many items were taken from the input. */
  readonly next: number;
  /** The places of those of them, counted from 0, that did not come to an end: they are made first when the bulk is taken up again. */
  readonly undone: readonly number[];
}

/** Options of a bulk. All have defaults. */
export interface BulkOptions {
  /** How many items may be held at a time: taken from the input, and not handed on yet. Default: the client's own. */
  readonly concurrency?: number | undefined;
  /** Whether outcomes come in the order of the items. Default: false, and they come as they are had. */
  readonly ordered?: boolean | undefined;
  /** How many items there are, for the progress. Default: what an array, a set or a map says of itself; else unknown. */
  readonly total?: number | undefined;
  /** Where to go on: the checkpoint of an earlier run over the same items in the same order. */
  readonly from?: BulkCheckpoint | undefined;
  /** Ends the bulk: the loop then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether a failure ends it all, because all others would fail alike. Default: QuotaExhaustedError, and a ServiceError with
   * status 401 or 403. A closed client always does.
   */
  readonly isFatal?: ((error: unknown) => boolean) | undefined;
  /** Failures in a row that stop the bulk, because the items are not the cause. A ConfigError does not count. Default: 100. */
  readonly maxFailuresInARow?: number | undefined;
  /** Called whenever an item is finished. Errors it throws are ignored. */
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

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isFunction = (value: unknown): boolean => typeof value === 'function';

function known(concurrency: number) {
  return {
    concurrency: withDefault(
      argument<number>((n) => isCount(n) && n >= 1, 'a whole number, 1 or more'),
      concurrency,
    ),
    ordered: withDefault(flag, false),
    total: argument<number>(isCount, 'a whole number, 0 or more'),
    from: withDefault(argument<BulkCheckpoint>(isCheckpoint, 'the checkpoint of a bulk: { next, undone }'), BEGINNING),
    signal: argument<AbortSignal>((value) => typeof value?.addEventListener === 'function', 'an AbortSignal'),
    isFatal: withDefault(argument<(error: unknown) => boolean>(isFunction, 'a function'), isHopeless),
    maxFailuresInARow: withDefault(
      argument<number>(
        (n) => n === Number.POSITIVE_INFINITY || (isCount(n) && n >= 1),
        'a whole number, 1 or more, or Infinity',
      ),
      100,
    ),
    onProgress: argument<(progress: BulkProgress) => void>(isFunction, 'a function'),
  };
}

/**
 * Checks the options of a bulk and completes them.
 *
 * @throws ConfigError that names the option that cannot be used.
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
    isFatal: (error) => isClosed(error) || isFatal(error),
  };
}

function sizeOf(items: object): number | undefined {
  const { length, size } = items as { readonly length?: unknown; readonly size?: unknown };
  return [length, size].find((count): count is number => isCount(count));
}

function isHopeless(error: unknown): boolean {
  return isQuotaExhausted(error) || (isServiceError(error) && (error.status === 401 || error.status === 403));
}

function isCheckpoint(value: BulkCheckpoint | null): boolean {
  if (typeof value !== 'object' || value === null || !isCount(value.next) || !Array.isArray(value.undone)) return false;
  return value.undone.every((index) => isCount(index) && index < value.next);
}
