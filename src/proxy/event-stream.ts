import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';

/** Events come no more often than four times a second. */
const SHORTEST_GAP_MS = 250;

/** Without news the page still moves on in time. */
const LONGEST_GAP_MS = 1_000;

/** Making events takes at most this part of the time, because a view of very many waiting calls takes long. */
const LARGEST_PART = 0.05;

/** What an event stream shows. */
export interface OverviewSource {
  /** Changes whenever there is something new. */
  readonly revision: () => number;
  /** The text of the next event. It is made once for all readers, and not at all without any. */
  readonly text: () => string;
}

/** Sends server-sent events to every connected page. */
export class EventStream {
  readonly #clock: Clock;
  readonly #source: OverviewSource;
  /** Each with when it was opened. */
  readonly #readers = new Map<ServerResponse, number>();
  #cancel: (() => void) | undefined;
  #sentRevision = Number.NaN;
  #sentAt = -Infinity;

  constructor(clock: Clock, source: OverviewSource) {
    this.#clock = clock;
    this.#source = source;
  }

  /** Sends events to a reader, which has the headers already, until it hangs up. */
  open(outgoing: ServerResponse): void {
    outgoing.once('close', () => this.#leave(outgoing));
    this.#readers.set(outgoing, this.#clock.now());
    outgoing.write(this.#event());
    this.#cancel ??= this.#clock.timer(SHORTEST_GAP_MS, () => this.#onTimer());
  }

  /** Ends a response, if it is the stream of a reader. */
  end(outgoing: ServerResponse): void {
    if (!this.#readers.has(outgoing)) return;
    this.#leave(outgoing);
    if (outgoing.writableNeedDrain) outgoing.destroy();
    else outgoing.end();
  }

  #onTimer(): void {
    const since = this.#clock.now();
    if (this.#source.revision() !== this.#sentRevision || since - this.#sentAt >= LONGEST_GAP_MS) this.#send(since);
    const tookMs = this.#clock.now() - since;
    this.#cancel = this.#clock.timer(Math.max(SHORTEST_GAP_MS, tookMs / LARGEST_PART), () => this.#onTimer());
  }

  #send(now: number): void {
    this.#sentRevision = this.#source.revision();
    this.#sentAt = now;
    const event = this.#event();
    for (const [reader, openedAt] of this.#readers) {
      // A reader that does not keep up, or has just opened its stream, misses an event: each event has everything.
      if (!reader.writableNeedDrain && now - openedAt >= SHORTEST_GAP_MS) reader.write(event);
    }
  }

  #event(): string {
    return `data: ${this.#source.text()}\n\n`;
  }

  #leave(reader: ServerResponse): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
