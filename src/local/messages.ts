import type { Operation } from '../sharing/store/operations.ts';

/** A message to the host. `share`: the fingerprint of the API key. */
export interface HostRequest {
  readonly id: number;
  readonly share: string;
  readonly operation: Operation;
}

/** A message of the host: the result of an operation, or why it failed. */
export interface HostReply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}
