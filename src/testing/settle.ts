/** Taken at load, so that fake timers installed afterwards do not matter. */
const later = chooseLater();

/**
 * One turn settles every chain of promises, however long, and every `nextTick`. The second is for what takes a turn
 * of its own on its way, such as a pipe between two streams.
 */
const TURNS = 2;

/** Before work is called stuck, the real world gets this long to answer, in real milliseconds: a socket, a worker thread. */
const PATIENCE_MS = 50;

/** Lets everything that is already under way and needs no time come to rest. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise<void>(later);
}

/** Lets things come to rest until `done` says so, for as long as the real world may need. */
export async function settleUntil(done: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!done() && performance.now() < end) await new Promise<void>(later);
}

/** The quickest way there is to run something in a later turn of the event loop. */
function chooseLater(): (go: () => void) => void {
  if (typeof setImmediate === 'function') return setImmediate;
  if (typeof MessageChannel === 'function') return byMessage;
  const { setTimeout } = globalThis;
  return (go) => setTimeout(go, 0);
}

function byMessage(go: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    go();
  };
  port2.postMessage(undefined);
}
