import { Alarm } from '../alarm.ts';
import type { Member } from '../share.ts';

/** The processes of a share try a used-up quota within this time of each other, in milliseconds: the first tells what it saw. */
const SPREAD_MS = 60_000;

/** When the hourly trial of this process may go: at a random time after it is due, so that siblings do not try together. */
export class TrialTurn {
  readonly #member: Pick<Member, 'clock' | 'random' | 'waiting' | 'wake'>;
  readonly #alarm: Alarm;
  #at = -Infinity;

  constructor(member: Pick<Member, 'clock' | 'random' | 'waiting' | 'wake'>) {
    this.#member = member;
    this.#alarm = new Alarm(member.clock, () => member.wake());
  }

  /** Whether a trial that is due may go now. If not, calls that wait ask again then. */
  hasCome(now: number): boolean {
    const { random, waiting } = this.#member;
    if (now > this.#at + SPREAD_MS) this.#at = now + random() * SPREAD_MS;
    if (now >= this.#at) return true;
    if (waiting() > 0) this.#alarm.set(this.#at);
    return false;
  }

  /** Stops the timer. */
  cancel(): void {
    this.#alarm.set(Infinity);
  }
}
