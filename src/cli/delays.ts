import type { ClientEvent } from '../index.ts';
import type { Environment } from './environment.ts';
import { writeWarning } from './notices.ts';
import { moment, span } from './times.ts';

/** Shortest delay that is told, in milliseconds. */
const WORTH_TELLING_MS = 5_000;

/** Tells a wait until `until`. Both instants in epoch milliseconds. */
export function waitSentence(until: number, why: string, now: number): string {
  return `Waiting until ${moment(until, now)}: ${why}.`;
}

/** Finds the waits that are worth telling: long ones, and each only once although it is seen again and again. */
export class LongWaits {
  #toldUntil = -Infinity;

  /** The sentence that tells a wait until `until`; undefined: it is short, or was told. Both instants in epoch milliseconds. */
  sentence(until: number, why: string, now: number): string | undefined {
    if (!(until - now > WORTH_TELLING_MS && until > this.#toldUntil + WORTH_TELLING_MS)) return undefined;
    this.#toldUntil = until;
    return waitSentence(until, why, now);
  }
}

/** A listener to the events of a client that tells on standard error why a call takes long: it waits, or a response did not come and it is tried again. */
export function delaysTold(world: Pick<Environment, 'stderr' | 'env' | 'clock'>): (event: ClientEvent) => void {
  const waits = new LongWaits();
  let lost: { readonly code: string; readonly tookMs: number } | undefined;
  const sentenceOf = (event: ClientEvent): string | undefined => {
    if (event.type === 'waiting') return waits.sentence(event.until.getTime(), event.reason.why, world.clock.wall());
    if (event.type === 'retrying' && lost && lost.tookMs > WORTH_TELLING_MS)
      return `No response within ${span(Math.floor(lost.tookMs))} (${lost.code}): trying again.`;
    return undefined;
  };
  return (event) => {
    if (event.type === 'sent') lost = undefined;
    if (event.type === 'lost') lost = event;
    const sentence = sentenceOf(event);
    if (sentence !== undefined) writeWarning(sentence, world);
  };
}
