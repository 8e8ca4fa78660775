/** Whether this is the deep run, `npm run test:deep`: more cases of every property, longer worlds. */
export const DEEP: boolean = process.env.DEEP === '1';

/** How many cases are tried: some each time, and many in the deep run. The many begin with the same ones. */
export function runs(ordinary: number, deep: number): number {
  return DEEP ? deep : ordinary;
}
