import { expect, it } from 'vitest';
import { aligned } from '../../../src/quota/models/aligned.ts';
import { SHAPES } from '../../../src/quota/models/all.ts';
import { StatedRoom } from '../../../src/sharing/ledger/stated-room.ts';
import { SharedWindows } from '../../../src/sharing/slots/windows.ts';
import { reading } from '../support/small.ts';

/** Windows of a service that may slide, and what is left of them: a minute of 30 units, in which a unit slides out in two seconds. */
class Subject {
  /** Units that are left to strangers. */
  left = 0;
  readonly underWay = { requests: 0, units: 0, sentAt: -Infinity };
  readonly room = new StatedRoom({ units: () => this.left }, this.underWay);
  readonly windows = new SharedWindows({ isDated: true });

  constructor() {
    this.windows.open('minute', 30, { alive: SHAPES, epoch: 0 });
  }

  send(units: number, now: number): void {
    this.underWay.units += units;
    this.underWay.sentAt = now;
  }

  end(units: number): void {
    this.underWay.units -= units;
  }

  read(used: number, sentAt: number, receivedAt: number): void {
    this.room.read(reading({ limit: 30, used, sentAt, receivedAt }));
  }

  earliest(now: number, units = 1, isAmple = false): number {
    return this.room.hold(this.windows, units, isAmple, now)?.until ?? now;
  }
}

it('as many requests are under way as the latest response leaves units', () => {
  const subject = new Subject();
  subject.read(26, 0, 50);
  for (let sent = 0; sent < 4; sent++) {
    expect(subject.earliest(60)).toBe(60);
    subject.send(1, 60);
  }
  expect(subject.earliest(60)).toBe(50 + 2_000);
  expect(subject.room.hold(subject.windows, 1, false, 60)?.window.period).toBe('minute');
  subject.end(1);
  expect(subject.earliest(100)).toBe(100);
});

it('a costly request takes all its units of what is left', () => {
  const subject = new Subject();
  subject.read(26, 0, 50);
  subject.send(1, 60);
  expect([subject.earliest(60, 3), subject.earliest(60, 5)]).toEqual([60, 50 + 2 * 2_000]);
});

it('of requests that were under way together the one that was counted last says what is left', () => {
  const subject = new Subject();
  subject.read(25, 0, 50);
  subject.read(29, 0, 55);
  subject.read(25, 0, 60);
  expect(subject.earliest(70)).toBe(70);
  subject.send(1, 70);
  expect(subject.earliest(70)).toBe(55 + 2_000);
  subject.read(25, 55, 100);
  expect(subject.earliest(100)).toBe(100);
});

it('where no response is recent one request goes, and the others wait for its response, unless the store counts little', () => {
  const subject = new Subject();
  for (const now of [0, 60_000]) {
    expect(subject.earliest(now)).toBe(now);
    subject.send(1, now);
    expect([subject.earliest(now), subject.earliest(now, 1, true)]).toEqual([now + 1_000, now]);
    subject.end(1);
    subject.read(3, now, now + 50);
    expect(subject.earliest(now + 50)).toBe(now + 50);
  }
});

it('one request goes although nothing is left, unless strangers are expected: then once its units have slid out, and those that are left to them', () => {
  const subject = new Subject();
  subject.read(30, 0, 50);
  expect(subject.earliest(60)).toBe(60);
  subject.left = 3;
  expect([subject.earliest(60), subject.earliest(8_049), subject.earliest(8_050)]).toEqual([8_050, 8_050, 8_050]);
  // Where something is left, no more has to slide out.
  subject.read(29, 9_000, 9_050);
  expect(subject.earliest(9_060)).toBe(9_060);
});

it('strangers may have twice as much under way as this process, so that no more requests follow than a third of what is left', () => {
  const subject = new Subject();
  subject.left = 1;
  subject.read(20, 0, 50);
  for (let sent = 0; sent < 4; sent++) {
    expect(subject.earliest(60)).toBe(60);
    subject.send(1, 60);
  }
  // Twelve units of four requests, and one more, of ten that were left.
  expect(subject.earliest(60)).toBe(50 + (3 + 1) * 2_000);
});

it('a window of the calendar holds a request back where strangers use it: until a response or for a second, for it may have ended', () => {
  const subject = new Subject();
  subject.windows.open('minute', 30, { alive: SHAPES.filter(({ isCalendar }) => isCalendar), epoch: 0 });
  subject.left = 1;
  subject.read(30, 0, 50);
  expect(subject.earliest(60)).toBe(60);
  subject.send(1, 60);
  expect([subject.earliest(70), subject.earliest(70, 1, true)]).toEqual([1_060, 70]);
  subject.end(1);
  subject.read(1, 60, 100);
  subject.send(1, 100);
  expect(subject.earliest(110)).toBe(110);
});

it('the calendar’s windows, of which the store counts all that a response states, and seconds hold nothing back without strangers', () => {
  const subject = new Subject();
  subject.windows.open('minute', 30, { alive: SHAPES.filter(({ isCalendar }) => isCalendar), epoch: 0 });
  subject.windows.open('second', 5, { alive: SHAPES, epoch: 0 });
  subject.read(30, 0, 50);
  subject.send(1, 60);
  expect(subject.earliest(60)).toBe(60);
  expect(subject.room.hold(subject.windows, 1, false, 60)).toBeUndefined();
});

it('one request goes first after the store has lost its memory, also where the calendar’s window seemed to have ample room', () => {
  const subject = new Subject();
  subject.windows.open('minute', 30, { alive: [aligned], epoch: 0 });
  subject.read(5, 0, 50);
  const earliest = (now: number): number => subject.earliest(now, 1, true);
  subject.send(1, 20_000);
  expect(earliest(20_010)).toBe(20_010);
  subject.room.lose(20_000);
  expect(earliest(20_010)).toBe(21_000);
  // Of what others were granted before, a response shows what is left.
  subject.read(28, 20_000, 20_050);
  expect([earliest(20_060), subject.earliest(20_060, 2, true)]).toEqual([20_060, 21_000]);
  subject.read(29, 25_000, 25_050);
  expect(subject.earliest(25_060, 2, true)).toBe(25_060);
});

it('one request goes first after the loss also where no response has stated yet what is left', () => {
  const subject = new Subject();
  subject.windows.open('minute', 30, { alive: [aligned], epoch: 0 });
  subject.room.lose(20_000);
  subject.send(1, 20_000);
  expect(subject.earliest(20_010, 1, true)).toBe(21_000);
});

it('of windows that hold a request back the one that does so for longest is named, and of a day a unit slides out in two seconds at most', () => {
  const subject = new Subject();
  for (const limit of [30, 120]) {
    subject.windows.open('minute', limit, { alive: SHAPES, epoch: 0 });
    subject.windows.open('day', 240, { alive: SHAPES, epoch: 0 });
    subject.room.read(reading({ limit, used: limit, sentAt: 0, receivedAt: 50 }));
    subject.room.read(reading({ period: 'day', limit: 240, used: 237, sentAt: 0, receivedAt: 50 }));
    subject.underWay.units = 4;
    const hold = subject.room.hold(subject.windows, 1, false, 60);
    // The minute lacks five units, and the day two.
    expect([hold?.window.period, hold?.until]).toEqual(limit === 30 ? ['minute', 10_050] : ['day', 4_050]);
  }
});

it('once what the latest response lacked has slid out, and it is old, one request goes and the others wait for its response', () => {
  const subject = new Subject();
  subject.read(30, 0, 50);
  subject.send(3, 60);
  expect(subject.earliest(8_049)).toBe(8_050);
  subject.send(0, 8_000);
  expect(subject.earliest(8_050)).toBe(9_000);
});
