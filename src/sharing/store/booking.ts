import type { MemoryWindow } from './memory-windows.ts';
import type { ShareAsk } from './store.ts';

/**
 * Books totals as differences to the totals of the account, those of all slots of a window together. Returns how many units are newly claimed: what only
 * changed its slot is not.
 */
export function bookTotals(
  { slots }: ShareAsk,
  before: ReadonlyMap<string, number>,
  windows: readonly MemoryWindow[],
): number {
  let claimed = 0;
  const changes = new Map<MemoryWindow, number>();
  for (const { name, total, to, windows: indices } of slots) {
    const more = total - (before.get(name) ?? 0);
    if (more === 0) continue;
    claimed += more;
    const all = new Set(indices.flatMap((index) => windows[index] ?? []));
    for (const window of all) {
      changes.set(window, (changes.get(window) ?? 0) + more);
      window.touch(all, more, to);
    }
  }
  for (const [window, more] of changes) if (more !== 0) window.book(more);
  return Math.max(0, claimed);
}
