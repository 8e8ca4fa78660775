import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { EventStream } from '../../src/proxy/event-stream.ts';
import { virtualClock } from '../../src/testing/index.ts';

class Reader extends EventEmitter {
  readonly told: { at: number; text: string }[] = [];
  readonly #now: () => number;
  writableNeedDrain = false;
  isEnded = false;

  constructor(now: () => number) {
    super();
    this.#now = now;
  }

  writeHead(): this {
    return this;
  }

  write(text: string): void {
    this.told.push({ at: this.#now(), text });
  }

  end(): void {
    this.isEnded = true;
  }

  get response(): ServerResponse {
    return this as unknown as ServerResponse;
  }
}

function streamOf() {
  const clock = virtualClock();
  const state = { revision: 0, made: 0, takesMs: 0 };
  const stream = new EventStream(
    {
      ...clock,
      now: () => clock.now() + state.made * state.takesMs,
      wall: () => clock.wall(),
      timer: (ms, fire) => clock.timer(ms, fire),
    },
    { revision: () => state.revision, text: () => `${++state.made}` },
  );
  const reader = (): Reader => new Reader(() => clock.now());
  return { clock, state, stream, reader };
}

describe('the events', () => {
  it('come at once, and at most four times a second however much happens', async () => {
    const { clock, state, stream, reader } = streamOf();
    const one = reader();
    stream.open(one.response);
    for (let ms = 0; ms < 10_000; ms += 10) {
      state.revision++;
      await clock.advance(10);
    }
    expect(one.told[0]).toEqual({ at: 0, text: 'data: 1\n\n' });
    const gaps = one.told.slice(1).map(({ at }, index) => at - (one.told[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(250);
    expect(one.told.length).toBeGreaterThanOrEqual(39);
  });

  it('come at most four times a second to a page that is opened later, too', async () => {
    const { clock, state, stream, reader } = streamOf();
    const other = reader();
    stream.open(reader().response);
    for (let ms = 0; ms < 10_000; ms += 10) {
      if (ms === 1_240) stream.open(other.response);
      state.revision++;
      await clock.advance(10);
    }
    const gaps = other.told.slice(1).map(({ at }, index) => at - (other.told[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(250);
  });

  it('come once a second while nothing happens', async () => {
    const { clock, stream, reader } = streamOf();
    const one = reader();
    stream.open(one.response);
    await clock.advance(10_000);
    expect(one.told.length).toBeGreaterThanOrEqual(10);
    expect(one.told.length).toBeLessThanOrEqual(12);
  });

  it('are made once for all listeners, and not at all without one', async () => {
    const { clock, state, stream, reader } = streamOf();
    const [one, other] = [reader(), reader()];
    await clock.advance(5_000);
    expect(state.made).toBe(0);
    stream.open(one.response);
    stream.open(other.response);
    await clock.advance(2_000);
    expect(other.told.length).toBeGreaterThan(1);
    expect(state.made).toBe(one.told.length + 1);
    for (const each of [one, other]) each.emit('close');
    const { made } = state;
    await clock.advance(5_000);
    expect(state.made).toBe(made);
  });

  it('omit a reader that does not keep up, until it does', async () => {
    const { clock, stream, reader } = streamOf();
    const one = reader();
    stream.open(one.response);
    one.writableNeedDrain = true;
    await clock.advance(5_000);
    expect(one.told).toHaveLength(1);
    one.writableNeedDrain = false;
    await clock.advance(1_100);
    expect(one.told).toHaveLength(2);
  });

  it('come more seldom if they take long to make', async () => {
    const { clock, state, stream, reader } = streamOf();
    state.takesMs = 100;
    const one = reader();
    stream.open(one.response);
    for (let ms = 0; ms < 20_000; ms += 100) {
      state.revision++;
      await clock.advance(100);
    }
    // 100 ms of every 2 s.
    expect(one.told.length).toBeLessThanOrEqual(12);
    expect(one.told.length).toBeGreaterThan(5);
  });

  it('end for a reader of a proxy that closes', () => {
    const { stream, reader, clock } = streamOf();
    const [one, other] = [reader(), reader()];
    for (const { response } of [one, other]) stream.open(response);
    stream.end(one.response);
    stream.end(reader().response);
    expect([one.isEnded, other.isEnded, clock.timers]).toEqual([true, false, 1]);
    stream.end(other.response);
    expect([other.isEnded, clock.timers]).toEqual([true, 0]);
  });
});
