import { Throughput } from './forecast/throughput.ts';
import { ManualPause } from './limits/manual-pause.ts';
import { Outages } from './limits/outages.ts';
import { ServerClock } from './time/server-clock.ts';
import { Concurrency } from './usage/concurrency.ts';

/** What a client knows apart from its keys: facts of the service, and what the caller has set. The books of all its keys have it in common. */
export class ClientWide {
  readonly clock: ServerClock = new ServerClock();
  readonly outages: Outages = new Outages();
  readonly throughput: Throughput = new Throughput();
  readonly manualPause: ManualPause = new ManualPause();
  readonly concurrency: Concurrency;

  /** @param concurrency - how many requests may be under way at once. */
  constructor(concurrency: number) {
    this.concurrency = new Concurrency(concurrency);
  }
}
