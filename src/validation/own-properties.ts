/** An object's own defined properties, without any inherited from a polluted `Object.prototype`. */
export function ownProperties<T extends object>(given: T): T {
  const own = Object.create(null);
  for (const [name, value] of Object.entries(given)) if (value !== undefined) own[name] = value;
  return own;
}
