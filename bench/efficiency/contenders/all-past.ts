import type { ServicePeriod } from '../../../src/testing/index.ts';
import { LENGTH_MS } from '../../../src/testing/limits/calendar.ts';
import type { Errand } from '../scenario.ts';
import { isOthers } from '../strangers.ts';
import type { Contender, Place } from './contender.ts';
import { pathOf } from './ky.ts';

const NAME = /^all the past, leaving (\d+)$/;

/** How often it looks whether there is room, in milliseconds. */
const LOOK_MS = 10;

/**
 * A client that is told whatever has arrived at the service, from any consumer, at the moment in which it arrives, and the limits of its calendar
 * windows. It does not know what others will send while its own request is on the way. It leaves some units of each window for that, and
 * sends whenever there is room. It shows what is refused for want of foresight alone, and shares no code with the pacer.
 */
export function allPastNamed(name: string): Contender | undefined {
  const left = NAME.exec(name)?.[1];
  if (left === undefined) return undefined;
  return {
    name,
    setup: 'all limits, and all that has arrived',
    usesGlobals: false,
    open: (place) => open(place, Number(left)),
  };
}

function open(place: Place, left: number): { call(errand: Errand): Promise<void> } {
  const { clock, limits, serviceTime, spent, arrived, fetch, origin, key } = place;
  const headers = key === undefined ? {} : { 'x-api-key': key };
  const windows = Object.entries(limits).map(([period, limit]) => {
    return { limit, lengthMs: LENGTH_MS[period as ServicePeriod], from: 0, used: 0 };
  });
  if (spent) for (const window of windows) count(window, serviceTime() - spent.agoMs, spent.units);
  const waiting: { readonly errand: Errand; readonly done: () => void }[] = [];
  let seen = 0;
  /** Our requests that have not arrived. */
  let onTheWay = 0;
  let isBusy = false;

  const look = (): void => {
    const log = arrived();
    for (let request = log[seen]; request; request = log[++seen]) {
      if (!isOthers(request)) onTheWay--;
      if (!request.limited) for (const window of windows) count(window, request.serviceTime, request.cost);
    }
    for (const window of windows) count(window, serviceTime(), 0);
  };
  const hasRoom = (): boolean => windows.every(({ limit, used }) => limit - left - used - onTheWay >= 1);

  const send = async (one: (typeof waiting)[number]): Promise<void> => {
    onTheWay++;
    const response = await fetch(`${origin}${pathOf(one.errand)}`, { headers });
    await response.body?.cancel();
    if (response.ok) return one.done();
    waiting.push(one);
    void work();
  };

  const work = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    while (waiting.length > 0) {
      look();
      if (hasRoom()) void send(waiting.shift() as (typeof waiting)[number]);
      else await new Promise<void>((resolve) => void clock.timer(LOOK_MS, resolve));
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

/** Counts what arrived in a window of the calendar, which may have begun since. */
function count(window: { readonly lengthMs: number; from: number; used: number }, at: number, units: number): void {
  const from = at - (at % window.lengthMs);
  if (from > window.from) window.used = 0;
  window.from = from;
  window.used += units;
}
