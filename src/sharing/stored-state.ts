/** The version of the text. A text of another version is not read. */
const FORMAT = 1;

/** The entries of an `Expiring`: name, value, and when it expires. */
export type StoredEntries = readonly (readonly [name: string, value: unknown, until: number])[];

/** The whole state of a store in memory, by part. */
export type StoredState = Readonly<Record<string, StoredEntries>>;

/** Writes the state of a store as JSON; a `Map` is written as `{ "map": [[name, value], …] }`. */
export function writeState(state: StoredState): string {
  return JSON.stringify({ format: FORMAT, state: withValues(state, (value) => replaced(value, toPlain)) });
}

/** Reads what {@link writeState} wrote. `undefined`: it is no such text, so the store begins empty, like one that lost its memory. */
export function readState(text: string | undefined): StoredState | undefined {
  try {
    const { format, state } = JSON.parse(text ?? '');
    return format === FORMAT && isState(state) ? withValues(state, (value) => replaced(value, fromPlain)) : undefined;
  } catch {
    return undefined;
  }
}

function withValues(state: StoredState, convert: (value: unknown) => unknown): StoredState {
  const parts = Object.entries(state).map(([part, entries]) => [
    part,
    entries.map(([name, value, until]) => [name, convert(value), until] as const),
  ]);
  return Object.fromEntries(parts);
}

/** A value is a map, or has maps among its fields: `JSON` would ask a function of each number, which takes ten times as long. */
function replaced(value: unknown, change: (value: unknown) => unknown): unknown {
  const whole = change(value);
  if (whole !== value) return whole;
  const fields = Object.entries(value as object).map(([name, field]) => [name, change(field)]);
  return Object.fromEntries(fields);
}

function toPlain(value: unknown): unknown {
  return value instanceof Map ? { map: [...value] } : value;
}

function fromPlain(value: unknown): unknown {
  return isMap(value) ? new Map(value.map) : value;
}

function isMap(value: unknown): value is { readonly map: [string, unknown][] } {
  return Array.isArray((value as { map?: unknown } | null)?.map);
}

function isState(state: unknown): state is StoredState {
  if (typeof state !== 'object' || state === null) return false;
  return Object.values(state).every((entries) => Array.isArray(entries) && entries.every(isEntry));
}

function isEntry(entry: unknown): boolean {
  if (!Array.isArray(entry) || entry.length !== 3) return false;
  const [name, value, until] = entry;
  return typeof name === 'string' && typeof value === 'object' && value !== null && Number.isFinite(until);
}
