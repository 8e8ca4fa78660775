import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import type { ResponseHead } from './response-head.ts';

/** The response to a call: its body, and the quota that its headers state. */
export interface Result<Data> {
  /** The body: the output of the schema, or the JSON as it came if there is none; text for `text/plain`, undefined if it is empty. */
  readonly data: Data;
  /** The quota as the headers of this response state it. */
  readonly quota: QuotaSnapshot;
  /** The response itself: status, headers and URL. */
  readonly response: ResponseHead;
}

/** The response to a call that reads the headers alone. */
export interface HeadersResult {
  /** The quota as the headers of this response state it. */
  readonly quota: QuotaSnapshot;
  /** The HTTP status. Reading the quota works on any, also a 404 or 429. */
  readonly status: number;
  /** The response itself: status, headers and URL. */
  readonly response: ResponseHead;
}
