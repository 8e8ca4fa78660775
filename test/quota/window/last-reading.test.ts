import { describe, expect, it } from 'vitest';
import { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { Concurrency } from '../../../src/quota/usage/concurrency.ts';
import { InFlight } from '../../../src/quota/usage/in-flight.ts';
import { LastReading } from '../../../src/quota/window/last-reading.ts';
import { charge, readingsOf } from '../support/builders.ts';

const told = readingsOf(100, 50);

/** The last reading of a minute, with what is under way and what was answered. */
function lastReading() {
  const flights = new InFlight(new Concurrency(10), 9_000);
  const answered = new AnsweredRequests();
  return { word: new LastReading(flights, answered, 60_000), flights, answered };
}

describe('last reading', () => {
  it('the last reading of a window is what the request sent last was told, in whatever order answers come', () => {
    const { word } = lastReading();
    word.observe(told(20, 7));
    word.observe(told(10, 3));
    expect([word.limit, word.remaining, word.sentAt]).toEqual([100, 93, 20]);
  });

  it('the last reading, of several requests sent at once, is what the least lucky was told', () => {
    const { word } = lastReading();
    for (const used of [5, 9, 7]) word.observe(told(20, used));
    expect(word.remaining).toBe(91);
  });

  it('the last reading has a limit that was raised or lowered, though no time passes between answers', () => {
    const { word } = lastReading();
    word.observe(told(20, 9));
    word.observe({ ...told(20, 10), limit: 500 });
    expect([word.limit, word.remaining]).toEqual([500, 490]);
    word.observe({ ...told(20, 11), limit: 50 });
    expect([word.limit, word.remaining]).toEqual([50, 39]);
    word.observe({ ...told(20, 11), limit: 60 });
    expect([word.limit, word.remaining]).toEqual([60, 49]);
  });

  it('the last reading of a window shows nothing less than nothing', () => {
    const { word } = lastReading();
    word.observe(told(20, 120));
    expect(word.remaining).toBe(0);
  });

  it('the last reading of a window leaves at least what it says, less all that was sent since, whether that has come back or not', () => {
    const { word, flights } = lastReading();
    const send = (now: number) => flights.take(charge(), now);
    send(0);
    const asker = send(20);
    const later = send(30);
    send(40);
    flights.end(asker);
    flights.end(later);
    word.observe(told(20, 10));
    expect(word.left(50)).toBe(90 - 2);
  });

  it('the last reading of a window leaves less by what was sent before it and is still under way: it may have been overtaken', () => {
    const { word, flights } = lastReading();
    const send = (now: number) => flights.take(charge(), now);
    send(0);
    send(10);
    flights.end(send(20));
    send(30);
    word.observe({ ...told(20, 10), own: 1, held: 3 });
    expect(word.left(50)).toBe(90 - 2 - 1);
  });

  it('the last reading of a window that slides leaves more as what was ours leaves, and no more for what is not known to have been ours', () => {
    const { word, answered } = lastReading();
    answered.add(4_900, 5_000, 8, 8);
    answered.add(9_900, 10_000, 5, 5);
    word.observe(told(30_000, 60));
    expect(word.left(64_900)).toBe(40);
    expect(word.left(65_000)).toBe(40);
    expect(word.left(65_100)).toBe(40 + 8);
    expect(word.left(70_100)).toBe(40 + 8 + 5);
    expect(word.left(70_000, Infinity, 1 / 8_000)).toBe(40 + 5);
    expect(word.left(95_000)).toBe(40 + 8 + 5);
  });
});
