/**
 * The durations and counts of the protocol, in milliseconds. They are written a second time, beside those of the client, so that a
 * mistake cannot hide on both sides.
 */

/** The account of a process expires this long after its last ask. */
export const ACCOUNT_LASTS_MS = 60_000;

/** The longest pause that a store keeps. */
export const LONGEST_PAUSE_MS = 3_600_000;

/** What all processes claim is counted by stretches of this length, and so many of them. */
export const STRETCH_MS = 5_000;
export const RECENT_STRETCHES = 8;

/** The count of urgent units decays by a factor of e in this time. */
export const URGENT_MEMORY_MS = 60_000;

/** Length of a look, and the number of looks of a share. */
export const LOOK_MS = 1_000;
export const LOOKS = 6;

/** After this time without an answer to the probe after a pause, another process may probe. */
export const PROBE_MS = 2_000;

/** A process counts as live for this long after its last ask that is a sign of life. */
export const LIVE_MS = 75_000;
