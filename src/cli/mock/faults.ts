import type { ServiceFault, ServiceFaults } from '../../testing/index.ts';
import { UsageError } from '../exit.ts';
import { assignment } from '../flags.ts';

/** A fault, and the requests it applies to: a number of the next ones, or a part of all, from 0 to 1. */
export interface PlannedFault {
  readonly fault: ServiceFault;
  readonly meets: { readonly next: number } | { readonly part: number };
}

/** Faults by their names in flags. */
const KINDS: Readonly<Record<string, ServiceFault>> = {
  reset: 'reset',
  lost: 'lost',
  hang: 'hang',
  truncate: 'truncate',
  'slow-body': 'slow body',
  'no-quota-headers': 'no quota headers',
  'store-down': 'store down',
};

/** Examples of a status, and all other kinds. */
export const FAULT_KINDS: readonly string[] = ['503', 'edge-522', ...Object.keys(KINDS)];

/**
 * Reads `503`, `503=5%`, `reset=3` or `edge-502=1%`.
 *
 * @throws UsageError if it is none of these.
 */
export function readFault(text: string): PlannedFault {
  const { name, value } = assignment(text);
  const fault = faultOf(name ?? value);
  const meets = name === undefined ? { part: 1 } : meetsOf(value);
  if (fault !== undefined && meets !== undefined) return { fault, meets };
  const kinds = FAULT_KINDS.join(', ');
  throw new UsageError(
    `--fault must be one of ${kinds} (or another status), alone, with a part such as =5%, or with a number of requests such as =3, not "${text}".`,
  );
}

/** Applies the planned faults to the service. */
export function plan(
  faults: Pick<ServiceFaults, 'next' | 'when'>,
  planned: readonly PlannedFault[],
  random: () => number,
): void {
  for (const { fault, meets } of planned) {
    if ('next' in meets) faults.next(meets.next, fault);
    else faults.when(() => (random() < meets.part ? fault : undefined));
  }
}

function faultOf(name: string): ServiceFault | undefined {
  if (Object.hasOwn(KINDS, name)) return KINDS[name];
  const [, edge, status] = /^(edge-)?([2-5]\d\d)$/.exec(name) ?? [];
  if (status === undefined) return undefined;
  return { status: Number(status), ...(edge ? { counted: false } : {}) };
}

function meetsOf(value: string): PlannedFault['meets'] | undefined {
  const [, amount, percent] = /^(\d{1,6}(?:\.\d{1,3})?)(%)?$/.exec(value) ?? [];
  if (amount === undefined) return undefined;
  if (percent) return Number(amount) <= 100 ? { part: Number(amount) / 100 } : undefined;
  return Number.isInteger(Number(amount)) ? { next: Number(amount) } : undefined;
}
