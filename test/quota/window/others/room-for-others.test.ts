import { describe, expect, it } from 'vitest';
import { aligned } from '../../../../src/quota/models/aligned.ts';
import { slidingLog } from '../../../../src/quota/models/sliding-log.ts';
import type { Period } from '../../../../src/quota/time/periods.ts';
import type { OtherConsumers } from '../../../../src/quota/window/others/other-consumers.ts';
import { RoomForOthers } from '../../../../src/quota/window/others/room-for-others.ts';
import { SentInWindow } from '../../../../src/quota/window/sent-in-window.ts';
import { CandidateShapes } from '../../../../src/quota/window/shape/candidates.ts';
import { charge, knownClock, readingsOf } from '../../support/builders.ts';

const LIMIT = 100;
const reading = readingsOf(LIMIT, 100);

/** What others are taken to do: they took a unit every 100 ms, usually take 10 units, and leave us one every 50 ms. */
const OTHERS = {
  areActive: true,
  reserve: (_limit: number, gone: number, roundTripMs: number) => 10 * (1 - gone) + roundTripMs / 1_000,
  unobserved: (ms: number) => ms / 100,
  fairSpacing: () => 50,
  perUnit: 3,
};

/** Nothing of a window was sent but a request of no units at 1 s. */
function sentAtOne(period: Period): SentInWindow {
  const sent = new SentInWindow(period, knownClock());
  sent.onSent(0, 1_000);
  return sent;
}

/** The room of a window of which the last reading is of 0, and the last request was sent at 1 s. */
function room(
  period: Period,
  { others = {}, room = 1_000, sent = sentAtOne(period), shape = aligned, readAt = 0, underWay = 0 } = {},
): RoomForOthers {
  return new RoomForOthers(period, {
    clock: knownClock(),
    otherConsumers: { ...OTHERS, ...others } as unknown as OtherConsumers,
    lastReading: { sentAt: readAt, limit: LIMIT },
    sent,
    fits: (units, cap) => units + room <= cap + 1_000,
    flights: { units: underWay },
    candidates: new CandidateShapes([shape.create(period, knownClock(), false)], 60_000),
  });
}

const reserved = (one: RoomForOthers, now: number): number => one.units(charge(), LIMIT, now);

describe('the room that is left for other consumers', () => {
  it('is none while there are none', () => {
    const alone = room('minute', { others: { areActive: false } });
    expect(reserved(alone, 30_000)).toBe(0);
  });

  it('is in a second what they may have taken since the last reading, and nothing else: we do not use more than our part', () => {
    expect(reserved(room('second'), 200)).toBe(2);
    expect(reserved(room('second', { readAt: 1_000 }), 1_200)).toBe(2);
    expect(reserved(room('second', { others: { unobserved: () => 0 } }), 200)).toBe(0);
  });

  it('is what they usually take of the rest of the window', () => {
    expect(reserved(room('minute'), 200)).toBeCloseTo(10, 1);
    const half = room('minute', { others: { unobserved: () => 0 } });
    expect(reserved(half, 30_000)).toBeCloseTo(5, 1);
  });

  it('is where units are free again one by one what they may take by chance in a tenth of the window', () => {
    const sliding = room('minute', { others: { unobserved: () => 0 }, shape: slidingLog });
    expect(reserved(sliding, 3_000)).toBeCloseTo(6, 6);
    expect(reserved(sliding, 54_000)).toBeCloseTo(6, 6);
  });

  it('is a quarter at most of a window of which no unit is free again before it ends, because others may have gone', () => {
    const late = { others: { unobserved: () => 100 } };
    expect(reserved(room('minute', late), 58_000)).toBe(25);
    expect(reserved(room('minute', { ...late, shape: slidingLog }), 58_000)).toBe(50);
    expect(reserved(room('second', late), 900)).toBe(50);
  });

  it('may be taken by so many requests of others for each of ours under way, twice as many as they take while this client sends or waits', () => {
    expect(room('minute', { underWay: 0 }).mayHaveTaken(100)).toBe(1);
    expect(room('minute', { underWay: 4 }).mayHaveTaken(100)).toBe(24);
  });

  it('may be taken evenly, as much of it as is left for them at most, since the last reading came', () => {
    const taken = (ms: number): number => {
      const minute = room('minute', { others: { unobserved: () => 0 } });
      minute.onReading({ ...reading(0, 1), receivedAt: 400 });
      return minute.mayHaveTaken(ms);
    };
    expect([taken(400), taken(30_400), taken(999_000)]).toEqual([0, 25, 50]);
  });

  it('is at least what they may have taken since the last reading, up to half of the window', () => {
    const sliding = room('minute', { shape: slidingLog });
    expect(reserved(sliding, 2_000)).toBe(20);
    expect(reserved(sliding, 4_000)).toBe(40);
    expect(reserved(sliding, 9_000)).toBe(50);
  });

  it('is what they may take for as long as this client went without an answer lately, a second at the least and not quite four at the most', () => {
    const others = { unobserved: (_ms: number, mostMs: number) => mostMs / 100 };
    const asked = room('minute', { others, shape: slidingLog });
    expect(reserved(asked, 200)).toBe(10);
    for (let at = 0; at < 15_000; at += 3_000) asked.onReading(reading(at, 1));
    expect(reserved(asked, 15_000)).toBe(25);
    for (let at = 15_000; at < 30_000; at += 3_000) asked.onReading(reading(at, 1));
    expect(reserved(asked, 30_000)).toBe(30);
    for (let at = 30_000; at < 60_000; at += 9_000) asked.onReading(reading(at, 1));
    expect(reserved(asked, 60_000)).toBe(37);
  });

  it('is no more than they may take in a second after a refusal: a consumer that fills whole seconds may have gone', () => {
    const others = { unobserved: (_ms: number, mostMs: number) => mostMs / 100 };
    const asked = room('minute', { others, shape: slidingLog });
    for (let at = 0; at < 30_000; at += 3_000) asked.onReading(reading(at, 1));
    expect(reserved(asked, 30_000)).toBe(30);
    asked.onReading(reading(30_000, LIMIT, { limited: true }));
    expect(reserved(asked, 30_000)).toBe(10);
  });

  it('grows with the last round trip, half of which a request takes to arrive', () => {
    const slow = room('minute');
    slow.onReading(reading(0, 1));
    expect(reserved(slow, 2_000)).toBeCloseTo(20.5, 6);
    slow.onReading({ ...reading(1_000, 1), receivedAt: 1_400 });
    expect(reserved(slow, 2_000)).toBeCloseTo(22, 6);
    const unseen = room('minute', { others: { unobserved: () => 0 } });
    unseen.onReading(reading(0, 1));
    expect(reserved(unseen, 200)).toBeCloseTo(10 * (1 - 180 / 60_000) + 0.1, 3);
  });
});

describe('a request that the room for others holds back', () => {
  const RECHECK_MS = 1_200;
  const released = (one: RoomForOthers, units: number, now: number): number => one.releasesAt(units, LIMIT, now);

  it('is checked again after a fiftieth of the window, where it would leave them less than they may take unseen', () => {
    // At 2 s they may have taken 20 unseen, so there is room for 80.
    const full = room('minute');
    expect(released(full, 81, 2_000)).toBe(2_000 + RECHECK_MS);
    expect(released(room('second'), 81, 2_000)).toBe(2_020);
    // Of a second nothing but that is kept for them.
    expect(released(room('second'), 1, 2_000)).toBe(2_020);
  });

  it('may go in a longer window as soon as we have taken less of it than our part of the time', () => {
    const sent = new SentInWindow('minute', knownClock());
    const long = room('minute', { others: { unobserved: () => 0 }, sent });
    for (let request = 0; request < 3; request++) sent.onSent(20, 100);
    // 61 units are our part of 3.05 s, and 3 s less 20 ms are over.
    expect(released(long, 1, 3_000)).toBeCloseTo(3_000 + 3_050 - 2_980, 0);
    expect(released(long, 1, 3_100)).toBe(3_100);
    sent.onSent(40, 100);
    expect(released(long, 1, 3_000)).toBe(3_000 + RECHECK_MS);
    // The next minute is another one.
    sent.onSent(1, 60_100);
    expect(released(long, 1, 60_200)).toBe(60_200);
  });

  it('may go in a minute in which nothing was sent', () => {
    const sent = new SentInWindow('minute', knownClock());
    sent.onSent(60, 100);
    expect(released(room('minute', { others: { unobserved: () => 0 }, sent }), 1, 60_200)).toBe(60_200);
  });
});
