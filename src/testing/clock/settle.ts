/** Captured at load, so that fake timers installed later have no effect. */
const later = chooseLater();
const { setTimeout: realTimeout } = globalThis;

/**
 * One turn of the event loop settles every chain of promises and every `nextTick`. A second one is for work that needs a turn
 * itself, such as a pipe between two streams.
 */
const TURNS = 2;

/** Real time to wait for a socket, a worker thread or a module that loads before work counts as stuck, in milliseconds. */
const PATIENCE_MS = 1_000;

/** Turns after which what is waited for needs time: from then on the clock looks once a millisecond, and leaves the processor to it. */
const BUSY_TURNS = 100;

/** Waits until pending work that needs no time has settled. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise<void>(later);
}

/** Waits for pending work until `done` returns true, for {@link PATIENCE_MS} at most. */
export async function settleUntil(done: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let turn = 0; !done() && performance.now() < end; turn++)
    await new Promise<void>(turn < BUSY_TURNS ? later : (go) => realTimeout(go, 1));
}

/** Runs a function in a later turn of the event loop, as fast as possible. */
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
