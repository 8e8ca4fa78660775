/** At most so many batches of an instance are kept. */
export const BATCHES = 4;

/** Units of slots, and when the last of these ends, in milliseconds by the clock that slots are named by. */
export interface Batch {
  readonly units: number;
  readonly to: number;
}

/** Adds units of a slot that ends at `to`. Of too many batches two that follow each other become one: those whose units wait the least for that. */
export function withUnits(batches: readonly Batch[], units: number, to: number): readonly Batch[] {
  const later = batches.findIndex((batch) => batch.to > to);
  const all = batches.toSpliced(later < 0 ? batches.length : later, 0, { units, to });
  if (all.length <= BATCHES) return all;
  let least = Infinity;
  let joined = 0;
  all.forEach((batch, index) => {
    const waits = batch.units * ((all[index + 1]?.to ?? Infinity) - batch.to);
    if (waits < least) [least, joined] = [waits, index];
  });
  const [first, second] = all.slice(joined, joined + 2);
  if (!first || !second) return all;
  return all.toSpliced(joined, 2, { units: first.units + second.units, to: second.to });
}

/** Takes off units that were returned of a slot: of the last batch that ends no later than it, and of those before. Never of a later one. */
export function withoutUnits(batches: readonly Batch[], units: number, to: number): readonly Batch[] {
  let left = units;
  const kept: Batch[] = [];
  for (const batch of batches.toReversed()) {
    const taken = batch.to <= to ? Math.min(left, batch.units) : 0;
    left -= taken;
    if (batch.units > taken) kept.unshift({ ...batch, units: batch.units - taken });
  }
  return kept;
}

/** How many of `held` units count no more once the batches do not that end by `slidBy`: no fewer are left than the later batches have. */
export function slidOut(batches: readonly Batch[], held: number, slidBy: number): number {
  let [out, left] = [0, 0];
  for (const { units, to } of batches) {
    if (to <= slidBy) out += units;
    else left += units;
  }
  return Math.min(out, Math.max(0, held - left));
}
