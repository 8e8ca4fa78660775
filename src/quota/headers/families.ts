import { type QuotaSnapshot, readRemaining, type WindowQuota } from './snapshot.ts';
import { readDecimal, readList, readWhole } from './values.ts';

/** What a response said of a family of windows, from headers that the client does not pace by. */
export interface FamilyQuota {
  /** `x-ratelimit-cost-<family>`: what this request cost, in units. */
  readonly cost?: number;
  /** By period, such as `minute` or `week`. */
  readonly windows: Readonly<Record<string, WindowQuota>>;
  /** Names, in lower case, of the headers of this family that made no sense, or contradicted each other. */
  readonly malformed: readonly string[];
}

const COST = /^x-ratelimit-cost-(.+)$/;
/** Without a family, as in older names, it is that of the blockchain-related services. */
const WINDOW = /^x-ratelimit-(limit|remaining)-(?:(.+)-)?([^-]+)$/;
const OWN_FAMILY = 'stacks';

type Draft = { cost?: number; windows: Record<string, WindowQuota>; malformed: string[] };

/**
 * Reads the windows of other families and periods that a response named: `x-ratelimit-(limit|remaining)-<family>-<period>` and
 * `x-ratelimit-cost-<family>`. Never throws.
 */
export function familiesOf({
  unrecognised,
}: Pick<QuotaSnapshot, 'unrecognised'>): Readonly<Record<string, FamilyQuota>> {
  const families: Record<string, Draft> = Object.create(null);
  const familyOf = (name: string): Draft => {
    families[name] ??= { windows: Object.create(null), malformed: [] };
    return families[name];
  };
  for (const [name, value] of Object.entries(unrecognised)) {
    const [, costly] = COST.exec(name) ?? [];
    const [, side, family = OWN_FAMILY, period] = WINDOW.exec(name) ?? [];
    if (costly !== undefined) addCost(familyOf(costly), name, value);
    else if (period !== undefined)
      addSide(familyOf(family), side === 'limit' ? 'limit' : 'remaining', name, period, value);
  }
  return families;
}

function addCost(family: Draft, name: string, value: string): void {
  const cost = readList(value, readDecimal, Math.max);
  if (cost === undefined) family.malformed.push(name);
  else family.cost = cost;
}

/** Adds one header of a pair. A pair that says more remains than the limit is left out. */
function addSide(family: Draft, side: keyof WindowQuota, name: string, period: string, value: string): void {
  const units = readList(value, side === 'limit' ? readWhole : readRemaining, Math.min);
  if (units === undefined) {
    family.malformed.push(name);
    return;
  }
  const window = { ...family.windows[period], [side]: units };
  const { limit = Infinity, remaining = 0 } = window;
  if (remaining <= limit) {
    family.windows[period] = window;
    return;
  }
  const other = side === 'limit' ? 'remaining' : 'limit';
  family.malformed.push(name.replace(`-${side}-`, `-${other}-`), name);
  delete family.windows[period];
}
