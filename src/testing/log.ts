import type { ServiceEndpoint } from './routes/routes.ts';

/** One request as received by the service. */
export interface LoggedRequest {
  /** When the caller sent it, by the clock's `now()`, in milliseconds. */
  readonly at: number;
  /** When it arrived at the gateway, by the clock's `now()`, in milliseconds. */
  readonly arrivedAt: number;
  /** When it arrived, by the service's own clock, in milliseconds since the Unix epoch. */
  readonly serviceTime: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Whether it was accepted with a key; the key itself is never stored. */
  readonly key: 'keyed' | 'keyless';
  readonly endpoint: ServiceEndpoint;
  /** Status of the response; 0 while the handler of a route is at work. */
  readonly status: number;
  /** Whether a limit refused it. */
  readonly limited: boolean;
  /** Its cost in units, whether it was charged or not. */
  readonly cost: number;
}

/** Log and counters of requests and refusals. */
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

  /** Logs a request, and returns a function that adds its status, which a route may have to wait for. */
  add(request: Omit<LoggedRequest, 'status'>): (status: number) => void {
    const entry = { ...request, status: 0 };
    this.entries.push(entry);
    if (this.entries.length > this.size) this.entries.shift();
    return (status) => {
      entry.status = status;
    };
  }

  clear(): void {
    this.entries.length = 0;
    this.requests = 0;
    this.limited = 0;
  }
}
