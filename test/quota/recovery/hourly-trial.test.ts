import { describe, expect, it } from 'vitest';
import { holdUntil } from '../../../src/quota/admission.ts';
import { HourlyTrial, TRIAL_MS } from '../../../src/quota/recovery/hourly-trial.ts';

const reason = () => ({ kind: 'window', why: 'nothing is left' }) as const;
const FULL = holdUntil(1e9, reason, { isFirm: true });

describe('the hourly trial', () => {
  it('is due an hour after the first question, while no answer comes', () => {
    const trial = new HourlyTrial();
    expect(trial.dueAt).toBe(Infinity);
    expect(trial.isDue(FULL, 5)).toBe(false);
    expect(trial.isDue(FULL, 5 + TRIAL_MS)).toBe(true);
  });

  it('is put off by each answer', () => {
    const trial = new HourlyTrial();
    trial.reset(100);
    expect(trial.isDue(FULL, 99 + TRIAL_MS)).toBe(false);
    expect(trial.dueAt).toBe(100 + TRIAL_MS);
  });

  it('passes neither what an answer may end, nor an outage, nor what never ends', () => {
    const trial = new HourlyTrial();
    trial.reset(0);
    expect(trial.isDue(holdUntil(1e9, reason), TRIAL_MS)).toBe(false);
    expect(trial.isDue({ ...FULL, failingSince: 1 }, TRIAL_MS)).toBe(false);
    expect(trial.isDue({ ...FULL, until: Infinity }, TRIAL_MS)).toBe(false);
  });

  it('is due at once after the trial of a sibling that was served, and an hour after one that was not', () => {
    const trial = new HourlyTrial();
    trial.reset(0);
    trial.learn({ at: 50, isServed: false });
    expect([trial.dueAt, trial.isFollowing]).toEqual([50 + TRIAL_MS, false]);
    trial.learn({ at: 60, isServed: true });
    expect([trial.isDue(FULL, 61), trial.isFollowing]).toEqual([true, true]);
  });

  it('takes no older word of a sibling than its own last answer', () => {
    const trial = new HourlyTrial();
    trial.reset(100);
    trial.learn({ at: 99, isServed: true });
    expect(trial.isFollowing).toBe(false);
  });

  it('takes no word of a sibling before it was asked', () => {
    const trial = new HourlyTrial();
    trial.learn({ at: 50, isServed: true });
    expect(trial.isFollowing).toBe(false);
  });
});
