/** The version of the text. A text of another version is not read. */
const FORMAT = 1;

/** The entries of an `Expiring`: name, value, and when it expires. */
export type StoredEntries = readonly (readonly [name: string, value: unknown, until: number])[];

/** The whole state of a store in memory, by part. */
export type StoredState = Readonly<Record<string, StoredEntries>>;

/** Writes the state of a store as JSON; a `Map` is written as `{ "map": [[name, value], …] }`. */
export function writeState(state: StoredState): string {
  return JSON.stringify({ format: FORMAT, state: withMaps(state, toPlain) });
}

/** Reads what {@link writeState} wrote. `undefined`: it is no such text, so the store begins empty, like one that lost its memory. */
export function readState(text: string | undefined): StoredState | undefined {
  try {
    const { format, state } = JSON.parse(text ?? '');
    return format === FORMAT && isState(state) ? withMaps(state, fromPlain) : undefined;
  } catch {
    return undefined;
  }
}

/** A value is a map, or has maps among its fields: `JSON` would ask a function of each number, which takes four times as long. */
function withMaps(state: StoredState, change: (value: unknown) => unknown): StoredState {
  return withFields(state, (entries) =>
    entries.map(([name, value, until]) => {
      const whole = change(value);
      return [name, whole === value ? withFields(value as object, change) : whole, until] as const;
    }),
  );
}

/** The same object if no field changes: most have no map. */
function withFields<T extends object>(fields: T, change: (value: T[keyof T]) => unknown): T {
  let result = fields;
  for (const name of Object.keys(fields) as (keyof T)[]) {
    const changed = change(fields[name]);
    if (changed !== fields[name]) result = { ...result, [name]: changed };
  }
  return result;
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
