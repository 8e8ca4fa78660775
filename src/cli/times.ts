/** Formats a duration, rounded up: `23 s`, `4 min`, `3 h`, `9 days`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.ceil(hours / 24)} days`;
}

/** Formats an instant in ISO 8601, rounded up to the second. Epoch milliseconds. */
export function instant(at: number): string {
  return new Date(Math.ceil(at / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');
}

/** Formats an instant and its distance: `2026-01-01T00:01:00Z (in 23 s)`. Epoch milliseconds. */
export function moment(at: number, now: number): string {
  return `${instant(at)} (in ${span(at - now)})`;
}
