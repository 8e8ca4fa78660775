import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../support/deep.ts';
import { drive } from './support/drive.ts';
import { honest, plain, type World } from './support/worlds.ts';

describe('a service that keeps to its limits and serves no other consumer', () => {
  const isNeverStrained = ({ terms, job }: World): void => {
    const { refusals, isOverdrawn, doneAt } = drive(terms, job);
    expect({ refusals, isOverdrawn, isDone: doneAt !== undefined }).toEqual({
      refusals: 0,
      isOverdrawn: false,
      isDone: true,
    });
  };

  it('never has to refuse a request, and no window of it is overdrawn', () => {
    fc.assert(fc.property(honest, isNeverStrained), { numRuns: runs(60, 250) });
  });

  it('nor where it tells of its tightest window alone', () => {
    fc.assert(fc.property(plain, isNeverStrained), { numRuns: runs(20, 60) });
  });
});
