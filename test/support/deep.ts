/** Whether this is the deep run, `npm run test:deep`: more cases of every property, longer worlds. */
export const DEEP: boolean = process.env.DEEP === '1';

/** Which cases are tried: these each time, and more in the deep run. */
export function cases<const T, const U = T>(ordinary: readonly T[], more: readonly U[]): readonly (T | U)[] {
  return DEEP ? [...ordinary, ...more] : ordinary;
}

/** How many cases are tried: some each time, and many in the deep run. The many begin with the same ones. */
export function runs(ordinary: number, deep: number): number {
  return DEEP ? deep : ordinary;
}
