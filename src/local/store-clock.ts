/** The clock of a store, in milliseconds since the Unix epoch. */
export type StoreClock = () => number;

/** A clock that is never set, as the wall clock may be. */
export const steadyClock: StoreClock = () => performance.timeOrigin + performance.now();
