/** What an object itself says: nothing that it inherits, were it planted on `Object.prototype`. `undefined` says nothing. */
export function ownProperties<T extends object>(given: T): T {
  const own = Object.create(null);
  for (const [name, value] of Object.entries(given)) if (value !== undefined) own[name] = value;
  return own;
}
