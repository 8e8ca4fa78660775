import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: NodeJS.GCFunction = runInNewContext('gc');

/** Collects the garbage from a task of its own, while no function of the test is on the stack. */
export async function collectGarbage(): Promise<void> {
  await new Promise(setImmediate);
  await collect({ type: 'major', execution: 'async' });
}

/**
 * Collects the garbage until a count is `allowed` or lower, for a second at most: the compiler, in a thread of its own, references objects of a function
 * until it is done with it, and what a registry does about collected objects comes later.
 */
export async function countAfterCollection(count: () => number, allowed = 0): Promise<number> {
  for (let turn = 0; ; turn++) {
    await collectGarbage();
    const present = count();
    if (present <= allowed || turn === 20) return present;
    await setTimeout(50);
  }
}

/** How many of the objects are still referenced, once the garbage is collected. */
export function referenced(objects: readonly WeakRef<object>[], allowed?: number): Promise<number> {
  return countAfterCollection(() => objects.filter((object) => object.deref()).length, allowed);
}
