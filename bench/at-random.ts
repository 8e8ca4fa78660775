/** The time until the next event of a Poisson process, in the unit of `mean`, which it is on average. */
export function untilNext(mean: number, random: () => number): number {
  return -Math.log(1 - random()) * mean;
}

/** The instants of a Poisson process, each after the one before, without an end. `perMs`: how many there are in a millisecond on average. */
export function* atRandom(perMs: number, fromMs: number, random: () => number): Generator<number, never> {
  for (let at = fromMs; ; yield at) at += untilNext(1 / perMs, random);
}
