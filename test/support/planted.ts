/** Does some work while every object inherits these values, as where another part of the program was tricked into planting them. */
export async function withPlanted<T>(planted: Readonly<Record<string, unknown>>, work: () => Promise<T>): Promise<T> {
  for (const [name, value] of Object.entries(planted)) {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, enumerable: true, writable: true });
  }
  try {
    return await work();
  } finally {
    for (const name of Object.keys(planted)) Reflect.deleteProperty(Object.prototype, name);
  }
}
