import { describe, expect, it } from 'vitest';
import type { ClientEvent } from '../../../src/events.ts';
import { wire } from '../../support/wire.ts';

const reason = new Error('enough');

describe('aborts', () => {
  it('an abort takes a call out of the queue at once, and nothing is sent for it', async () => {
    const { client, call, last, names } = wire({ concurrency: 1 });
    const controller = new AbortController();
    await call('first');
    await call('at the gate');
    const queued = await call('queued', { signal: controller.signal });
    await call('behind');
    controller.abort(reason);
    expect(client.waiting).toBe(2);
    expect(await queued.end).toBe(reason);
    for (const name of ['first', 'at the gate', 'behind']) await last(name).answer();
    expect(names()).toEqual(['first', 'at the gate', 'behind']);
  });

  it('an abort takes a call away from the gate at once, and the next steps up', async () => {
    const { client, call, last, names } = wire({ concurrency: 1 });
    const controller = new AbortController();
    await call('first');
    const gone = await call('at the gate', { signal: controller.signal });
    await call('behind');
    controller.abort(reason);
    expect(await gone.end).toBe(reason);
    expect(client.waiting).toBe(1);
    for (const name of ['first', 'behind']) await last(name).answer();
    expect(names()).toEqual(['first', 'behind']);
  });

  it.each([undefined, 0])(
    'an abort that came before the call ends it before it joins (patience: %s)',
    async (maxWaitMs) => {
      const { call, names, client } = wire({ concurrency: 1 });
      await call('first');
      const late = await call('late', { signal: AbortSignal.abort(reason), maxWaitMs });
      expect(late.now()).toBe(reason);
      expect(names()).toEqual(['first']);
      expect(client.waiting).toBe(0);
    },
  );

  it('an abort ends the pause before another attempt', async () => {
    const { client, call, last, names, clock } = wire({ random: () => 0.9 });
    const controller = new AbortController();
    const only = await call('only', { signal: controller.signal });
    await last('only').answer(503);
    expect([only.now(), client.waiting]).toEqual(['under way', 1]);
    controller.abort(reason);
    expect(await only.end).toBe(reason);
    expect(names()).toEqual(['only']);
    expect([client.waiting, clock.timers]).toEqual([0, 0]);
  });

  it('an abort while another attempt is announced ends the call at once', async () => {
    const controller = new AbortController();
    const onEvent = ({ type }: ClientEvent): void => void (type === 'retrying' && controller.abort(reason));
    const { client, call, last } = wire({ random: () => 0.9, onEvent });
    const only = await call('only', { signal: controller.signal });
    await last('only').answer(503);
    expect([only.now(), client.waiting]).toEqual([reason, 0]);
  });

  it('an abort at the gate leaves no timer where no other call waits', async () => {
    const { call, last, clock } = wire();
    const controller = new AbortController();
    await call('first');
    await last('first').answer(200, { 'retry-after': '60' });
    const gone = await call('at the gate', { signal: controller.signal });
    controller.abort(reason);
    expect([await gone.end, clock.timers]).toEqual([reason, 0]);
  });

  it('an abort of a call that has overtaken another lets that one go when the pause has ended', async () => {
    const { call, last, clock, names } = wire();
    const controller = new AbortController();
    await call('first');
    await last('first').answer(200, { 'retry-after': '60' });
    await call('overtaken');
    await call('urgent', { priority: 1, signal: controller.signal });
    controller.abort(reason);
    await clock.advance(60_000);
    expect(names()).toEqual(['first', 'overtaken']);
  });

  it('an abort cuts a request that is under way, and what it may have cost stays spent', async () => {
    const { client, call, last } = wire();
    await call('first');
    await last('first').answer();
    const controller = new AbortController();
    const cut = await call('cut', { signal: controller.signal, cost: 7 });
    controller.abort(reason);
    expect(await cut.end).toBe(reason);
    expect(last('cut').request.signal.aborted).toBe(true);
    expect(client.quota()).toMatchObject({ inFlight: 0, windows: [{ window: 'minute', headroom: 893 }] });
  });

  // The way from the gate to the wire is some turns of the microtask queue long. An abort may come at any of them.
  it.each([undefined, 0])('an abort in the same turn as a grant leaks nothing (maxWaitMs: %s)', async (maxWaitMs) => {
    const outcomes = new Set<string>();
    for (let breath = 0; breath < 60; breath++) {
      const { client, call, last, names, clock } = wire({ concurrency: 1 });
      const controller = new AbortController();
      await call('first');
      const granted = await call('granted', { signal: controller.signal, maxWaitMs, cost: 7 });
      void last('first').answer();
      for (let turn = 0; turn < breath; turn++) await undefined;
      controller.abort(reason);
      await clock.advance(0);
      expect(granted.now()).toBe(reason);
      const isSent = names().includes('granted');
      outcomes.add(isSent ? 'sent' : 'not sent');
      if (isSent) expect(last('granted').request.signal.aborted).toBe(true);
      const headroom = isSent ? 893 : 900;
      expect(client.quota()).toMatchObject({ inFlight: 0, held: 0, waiting: 0, windows: [{ headroom }] });
      await call('next');
      expect(names().at(-1)).toBe('next');
    }
    expect(outcomes).toEqual(new Set(['sent', 'not sent']));
  });
});
