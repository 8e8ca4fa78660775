import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestOutcome } from '../../../src/quota/admission.ts';
import { runs } from '../../support/deep.ts';
import { anySteps, LEASE_MS, type Moment, Stage, type Step } from '../support/script.ts';

const saying = fc.record({
  hasDate: fc.boolean(),
  secondLeft: fc.nat({ max: 1_000 }),
  minuteLeft: fc.nat({ max: 1_000 }),
});

describe('rule 7, know which waits a settle can shorten:', () => {
  it('a wait that does not ask to be woken by a settle is not shortened by any', () => {
    let waits = 0;
    fc.assert(
      fc.property(anySteps, saying, fc.infiniteStream(fc.nat({ max: 2 })), (steps, says, fates) => {
        const stage = new Stage();
        stage.play(steps);
        const wait = stage.ask();
        fc.pre(wait.kind === 'wait' && !wait.mayEndOnAnswer);
        if (wait.kind !== 'wait') return;
        waits++;
        for (const lease of stage.open) {
          const answered: RequestOutcome = { kind: 'answered', quota: stage.quota(says), limited: false };
          const outcomes: readonly RequestOutcome[] = [answered, { kind: 'lost' }, { kind: 'unsent' }];
          stage.settle(lease, outcomes[fates.next().value ?? 0] ?? answered);
          const again = stage.ask();
          expect(again.kind).toBe('wait');
          if (again.kind === 'wait') expect(again.until).toBeGreaterThanOrEqual(wait.until);
        }
      }),
    );
    expect(waits).toBeGreaterThan(runs(20, 100));
  });
});

/** Every endpoint, which a `retry-after` concerns unless no window explains the refusal that states it. */
const ALL = 'all';

describe('rule 9, a hold only ever grows:', () => {
  it('nothing is granted before a retry-after has passed, of its endpoint or of all', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const ends = new Map([[ALL, 0]]);
        for (const { at, step, admission, settled } of new Stage({ origin: 0 }).play(steps)) {
          const endpoint = step.do === 'ask' ? step.endpoint : ALL;
          const until = Math.max(ends.get(ALL) ?? 0, ends.get(endpoint) ?? 0);
          if (admission?.kind === 'granted') expect(at).toBeGreaterThanOrEqual(until);
          if (admission?.kind === 'wait') expect(admission.until).toBeGreaterThanOrEqual(until);
          if (step.do !== 'answer' || !settled || at >= settled.sentAt + LEASE_MS) continue;
          const { limited, secondLeft, minuteLeft, monthLeft, retryAfterMs = 0 } = step.saying;
          const isFull = [secondLeft, minuteLeft, monthLeft].includes(0);
          const of = limited && !isFull ? settled.endpoint : ALL;
          ends.set(of, Math.max(ends.get(of) ?? 0, at + retryAfterMs));
        }
      }),
    );
  });

  it('no later word shortens a pause', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        let until = 0;
        for (const { at, view } of new Stage({ origin: 0 }).play(steps)) {
          if (at < until) expect(view.cooldown?.until).toBeGreaterThanOrEqual(until);
          until = Math.max(until, view.cooldown?.until ?? 0);
        }
      }),
    );
  });
});

describe('rule 11, asking is free:', () => {
  it('leave out every ask that was not granted, and nothing changes', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const all = new Stage().play(steps);
        const granted = all.filter(({ admission }) => !admission || admission.kind === 'granted');
        expect(new Stage().play(granted.map(({ step }) => step))).toEqual(granted);
      }),
    );
  });

  it('ask any number of times where the answer is to wait, and nothing changes', () => {
    fc.assert(
      fc.property(anySteps, fc.integer({ min: 1, max: 5 }), (steps, times) => {
        const once = new Stage().play(steps);
        const often = once.flatMap(({ step, admission }): Step[] =>
          Array(admission?.kind === 'wait' ? times : 1).fill(step),
        );
        const last = (moments: readonly Moment[]): Moment | undefined => moments.at(-1);
        expect(last(new Stage().play(often))).toEqual(last(once));
      }),
    );
  });
});
