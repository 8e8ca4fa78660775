import { LENGTH_MS } from '../../../src/testing/limits/calendar.ts';
import { settingsFrom } from '../../../src/testing/settings.ts';
import type { Errand } from '../scenario.ts';
import type { Contender, Place } from './contender.ts';
import { pathOf } from './ky.ts';

const NAME = /^equal parts of (0\.\d+|1)$/;

/** The longest round trip of the usual distance, in milliseconds. */
const ROUND_TRIP_MS = 150;

/**
 * A client that is told what no header says: how many clients there are, the service's time and the shape of the windows. Each takes an
 * equal part of each window, evenly spaced from an instant of its own luck, and keeps that instant until it is refused. It shows what
 * clients could reach that knew of each other, and shares no code with the pacer.
 */
export function equalPartsNamed(name: string): Contender | undefined {
  const part = Number(NAME.exec(name)?.[1]);
  if (Number.isNaN(part)) return undefined;
  return {
    name,
    setup: 'all limits, and everything about the others',
    usesGlobals: false,
    open: (place) => open(place, part),
  };
}

function open(place: Place, part: number): { call(errand: Errand): Promise<void> } {
  const { clock, random, limits, clients, windows, serviceTime, fetch, origin, key } = place;
  const headers = key === undefined ? {} : { 'x-api-key': key };
  const { second = Infinity, minute = Infinity } = limits;
  const isCalendar = settingsFrom({ windows }).kindOf('minute') === 'aligned';
  const spacingMs = (clients * LENGTH_MS.second) / (part * second);
  const share = Math.floor(minute / clients);
  const waiting: { readonly errand: Errand; readonly done: () => void }[] = [];
  const sentAt: number[] = [];
  let next = serviceTime() + spacingMs * random();
  let isBusy = false;

  /** The first instant of ours at which less than our part of the minute is used. */
  const fitsAt = (now: number): number => {
    const from = isCalendar ? now - (now % LENGTH_MS.minute) : now - LENGTH_MS.minute - ROUND_TRIP_MS;
    while ((sentAt[0] ?? Infinity) < from) sentAt.shift();
    if (sentAt.length < share) return now;
    return isCalendar
      ? from + LENGTH_MS.minute
      : (sentAt[sentAt.length - share] ?? now) + LENGTH_MS.minute + ROUND_TRIP_MS;
  };

  const send = async (one: (typeof waiting)[number]): Promise<void> => {
    const response = await fetch(`${origin}${pathOf(one.errand)}`, { headers });
    await response.body?.cancel();
    if (response.ok) return one.done();
    const now = serviceTime();
    waiting.push(one);
    next = now + LENGTH_MS.second - (now % LENGTH_MS.second) + spacingMs * random();
    void work();
  };

  const work = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    while (waiting.length > 0) {
      const now = serviceTime();
      const fits = Math.max(now, fitsAt(now));
      // Their instants are kept over the end of a minute: they do not begin the next one together.
      while (next < (fits > now ? fits : now - spacingMs)) next += spacingMs;
      if (Math.max(next, fits) > now) {
        await new Promise<void>((resolve) => void clock.timer(Math.max(next, fits) - now, resolve));
        continue;
      }
      next += spacingMs;
      sentAt.push(now);
      void send(waiting.shift() as (typeof waiting)[number]);
    }
    isBusy = false;
  };

  return {
    call: (errand) =>
      new Promise((done) => {
        waiting.push({ errand, done });
        void work();
      }),
  };
}
