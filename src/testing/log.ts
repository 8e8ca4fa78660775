import type { ServiceEndpoint } from './routes.ts';

/** One request as the service saw it. */
export interface LoggedRequest {
  /** When the caller sent it, by the clock's `now()`, in milliseconds. */
  readonly at: number;
  /** When it arrived at the gateway, by the clock's `now()`, in milliseconds. */
  readonly arrivedAt: number;
  /** When it arrived by the service's own clock, in milliseconds since the Unix epoch. */
  readonly serviceTime: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Whether it was served as the owner of a key; the key itself is never kept. */
  readonly key: 'keyed' | 'keyless';
  readonly endpoint: ServiceEndpoint;
  readonly status: number;
  /** Whether a limit refused it. */
  readonly limited: boolean;
  /** What it costs, in units, whether it was charged or not. */
  readonly cost: number;
}

/** What was asked of the service, and how often it said no. */
export class RequestLog {
  readonly entries: LoggedRequest[] = [];
  requests = 0;
  limited = 0;
  readonly size: number;

  constructor(size: number) {
    this.size = size;
  }

  count(limited: boolean): void {
    this.requests++;
    if (limited) this.limited++;
  }

  add(entry: LoggedRequest): void {
    this.entries.push(entry);
    if (this.entries.length > this.size) this.entries.shift();
  }

  clear(): void {
    this.entries.length = 0;
    this.requests = 0;
    this.limited = 0;
  }
}
