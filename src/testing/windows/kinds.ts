import type { ServicePeriod } from '../calendar.ts';
import { Aligned } from './aligned.ts';
import type { ServiceWindow } from './window.ts';

/** What shape a window has. */
export type WindowKind = keyof typeof KINDS;

const KINDS = {
  aligned: Aligned,
} as const;

/** Opens an empty window. */
export function openWindow(kind: WindowKind, limit: number, period: ServicePeriod): ServiceWindow {
  return new KINDS[kind](limit, period);
}
