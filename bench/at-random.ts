/** The instants of a Poisson process, each after the one before, without an end. `perMs`: how many there are in a millisecond on average. */
export function* atRandom(perMs: number, fromMs: number, random: () => number): Generator<number, never> {
  for (let at = fromMs; ; yield at) at -= Math.log(1 - random()) / perMs;
}
