import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import type { ResponseHead } from './response-head.ts';

/** An answer: its body, and what its headers said of the quota. */
export interface Result<Data> {
  readonly data: Data;
  readonly quota: QuotaSnapshot;
  /** The response itself: status, headers and URL. */
  readonly response: ResponseHead;
}

/** An answer of which only the headers were read. */
export interface HeadersResult {
  readonly quota: QuotaSnapshot;
  /** The HTTP status. Reading the quota works on any, also a 404 or 429. */
  readonly status: number;
  /** The response itself: status, headers and URL. */
  readonly response: ResponseHead;
}
