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
 * How many of the objects are still referenced, `allowed` or fewer once the garbage is collected.
 * The compiler, in a thread of its own, references some of them until it is done with a function: it gets a second.
 */
export async function referenced(objects: readonly WeakRef<object>[], allowed = 0): Promise<number> {
  for (let turn = 0; ; turn++) {
    await collectGarbage();
    const count = objects.filter((object) => object.deref()).length;
    if (count <= allowed || turn === 20) return count;
    await setTimeout(50);
  }
}
