import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import type { HostPaths } from '../../../src/local/host-paths.ts';
import { LocalBooks } from '../../../src/local/local-books.ts';

/** A process of a share, as far as its books go, until the test has finished. */
export function booksAt(paths: HostPaths, now: () => number = Date.now, clock: Clock = systemClock): LocalBooks {
  const books = new LocalBooks(paths, clock, now);
  onTestFinished(() => books.close());
  return books;
}
