/** Forgets the entries of a map but for so many that were set last. */
export function keepLast(map: Map<unknown, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
