import { type Clock, dateOf } from '../clock.ts';
import type { PacerWindow } from '../quota/view.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { QuotaState, WindowState } from './client.ts';

type ViewedScheduler = Pick<Scheduler, 'view' | 'pausedUntil' | 'waiting' | 'isKeyIgnored'>;

/** What a client knows of its quota, by this machine's wall clock. */
export function toQuotaState(scheduler: ViewedScheduler, clock: Clock): QuotaState {
  const { windows, inFlight, held, cooldown } = scheduler.view();
  const { pausedUntil } = scheduler;
  return {
    windows: windows.map((window) => windowState(window, clock)),
    inFlight,
    held,
    waiting: scheduler.waiting,
    ...(scheduler.isKeyIgnored && { isKeyIgnored: true as const }),
    ...(cooldown && { cooldown: { until: dateOf(cooldown.until, clock), why: cooldown.why } }),
    ...(pausedUntil > clock.now() && {
      paused: Number.isFinite(pausedUntil) ? { until: dateOf(pausedUntil, clock) } : {},
    }),
  };
}

/** A window by this machine's wall clock. */
function windowState({ seenAt, end, ...rest }: PacerWindow, clock: Clock): WindowState {
  const { certainty, from, to } = end;
  const isKnown = from !== undefined && to !== undefined;
  return {
    ...rest,
    seenAt: dateOf(seenAt, clock),
    end: certainty,
    ...(isKnown && { resetsAt: { from: dateOf(from, clock), to: dateOf(to, clock) } }),
  };
}
