/** Deletes the entries of a map that were set first, until no more than `most` are left. */
export function keepLast(map: Map<unknown, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
