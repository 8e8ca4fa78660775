import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AbortListeners } from '../../../src/scheduler/queue/abort-listeners.ts';

const reason = new Error('enough');

/** Listens to one signal with callbacks, by name, and notes what they are told. */
function listening(...names: readonly string[]) {
  const controller = new AbortController();
  const { signal } = controller;
  const all = new AbortListeners();
  const told: (readonly [name: string, reason: unknown])[] = [];
  const stops = names.map((name) => all.listen(signal, (why) => told.push([name, why])));
  const open = (): number => getEventListeners(signal, 'abort').length;
  return { all, controller, signal, told, stops, open };
}

describe('the listeners of calls', () => {
  it('are one for each signal, and none once no call listens', () => {
    const { all, signal, stops, open } = listening('first', 'second');
    expect([open(), all.has(signal)]).toEqual([1, true]);
    stops[0]?.();
    expect([open(), all.has(signal)]).toEqual([1, true]);
    stops[1]?.();
    expect([open(), all.has(signal)]).toEqual([0, false]);
  });

  it('tell the abort of their signal to those that still listen', () => {
    const { controller, told, stops } = listening('first', 'second', 'third');
    stops[1]?.();
    controller.abort(reason);
    expect(told).toEqual([
      ['first', reason],
      ['third', reason],
    ]);
  });

  it('may be told as if their signal had aborted, and no others', () => {
    const { all, signal, told } = listening('first', 'second');
    all.notify(new AbortController().signal, reason);
    expect(told).toEqual([]);
    all.notify(signal, reason);
    expect(told).toEqual([
      ['first', reason],
      ['second', reason],
    ]);
  });
});
