import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/quota/admission.ts';
import type { PacerView, WindowView } from '../../../src/quota/view.ts';
import { AGE_MS, anySteps, LEASE_MS, quotaSteps, Stage, silentSteps } from '../support/script.ts';

/** The windows that the service names. */
function named(view: PacerView): readonly WindowView[] {
  return view.windows.filter(({ window }) => window !== 'endpoint');
}

/** A window of which an estimated part is left, without the last digits: they hang on the order of adding up. */
function wholly(view: WindowView): WindowView {
  return { ...view, headroom: Math.round(view.headroom * 1e9) / 1e9 };
}

describe('rule 1, hold before you send:', () => {
  it('what is granted at one instant never exceeds the headroom of any window', () => {
    fc.assert(
      fc.property(quotaSteps, (steps) => {
        const stage = new Stage();
        stage.play(steps);
        const before = named(stage.pacer.view(stage.now));
        let units = 0;
        for (let asked = 0; asked < 30; asked++) {
          const admission = stage.ask('GET /a', 1);
          if (admission.kind === 'granted') units += admission.lease.units;
        }
        for (const { headroom } of before) expect(units).toBeLessThanOrEqual(headroom);
      }),
    );
  });

  it('a grant takes its units from every window at once, before anything is sent', () => {
    fc.assert(
      fc.property(quotaSteps, fc.integer({ min: 1, max: 3 }), (steps, cost) => {
        const stage = new Stage();
        stage.play(steps);
        const before = stage.pacer.view(stage.now);
        fc.pre(stage.ask('GET /a', cost).kind === 'granted');
        const after = stage.pacer.view(stage.now);
        expect(after.held).toBe(before.held + cost);
        for (const [place, { headroom }] of after.windows.entries()) {
          expect(headroom).toBeCloseTo(Math.max(0, (before.windows[place]?.headroom ?? 0) - cost), 9);
        }
      }),
    );
  });
});

describe('rule 5, look before the first leap:', () => {
  it('while nothing has been read, one request may be on its way', () => {
    fc.assert(
      fc.property(silentSteps, (steps) => {
        for (const { at, open, view } of new Stage({ origin: 0 }).play(steps)) {
          expect(open.filter(({ sentAt }) => at < sentAt + AGE_MS).length).toBeLessThanOrEqual(1);
          expect(view.windows).toEqual([]);
        }
      }),
    );
  });
});

describe('rule 6, uncertain is spent:', () => {
  /** A stage after a script, with one more request on its way. */
  function withOneMore(steps: Parameters<Stage['play']>[0]): { stage: Stage; lease: Lease } {
    const stage = new Stage();
    stage.play(steps);
    const admission = stage.ask();
    fc.pre(admission.kind === 'granted');
    return { stage, lease: admission.kind === 'granted' ? admission.lease : ({} as never) };
  }

  it('a request without an answer keeps its charge', () => {
    fc.assert(
      fc.property(quotaSteps, (steps) => {
        const { stage, lease } = withOneMore(steps);
        const before = stage.pacer.view(stage.now);
        stage.settle(lease, { kind: 'lost' });
        const after = stage.pacer.view(stage.now);
        expect(after.windows.map(wholly)).toEqual(before.windows.map(wholly));
      }),
    );
  });

  it('a request that certainly never left gives its charge back', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const without = new Stage();
        without.play(steps);
        const { stage, lease } = withOneMore(steps);
        stage.settle(lease, { kind: 'unsent' });
        expect(stage.pacer.view(stage.now)).toEqual(without.pacer.view(without.now));
      }),
    );
  });

  it('a lease that is never returned expires, and makes room for another', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const stage = new Stage();
        stage.play(steps);
        stage.play([{ do: 'pass', ms: LEASE_MS }]);
        expect(stage.pacer.view(stage.now)).toMatchObject({ inFlight: 0, held: 0 });
      }),
    );
  });

  it('a lease is settled once: what comes after changes nothing', () => {
    fc.assert(
      fc.property(anySteps, fc.constantFrom('lost' as const, 'unsent' as const), (steps, kind) => {
        const { stage, lease } = withOneMore(steps);
        stage.settle(lease, {
          kind: 'answered',
          quota: stage.quota({ hasDate: true, minuteLeft: 500 }),
          limited: false,
        });
        const before = stage.pacer.view(stage.now);
        stage.settle(lease, { kind });
        stage.settle(lease, { kind: 'answered', quota: stage.quota({ hasDate: true, minuteLeft: 0 }), limited: true });
        expect(stage.pacer.view(stage.now)).toEqual(before);
      }),
    );
  });
});
