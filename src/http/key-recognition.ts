import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import { PERIODS } from '../quota/time/periods.ts';

/** What an answer says of the windows. */
type Windows = QuotaSnapshot['stacks'];

/** A key counts as ignored after this number of answers in a row like those to a request without a key. */
const ANSWERS = 2;

/** A limit that has shrunk to this part, or below, is that of another quota. */
const SHRUNK = 0.1;

/**
 * Notices that a key is served as if there were none, as some gateways do with a key that was revoked. A guess: answers of an endpoint
 * no longer name a window that earlier ones to the same key named, or a limit has shrunk to a tenth.
 */
export class KeyRecognition {
  /** The windows that the last answer of an endpoint named, unless it looked like one to a request without a key. */
  readonly #windows = new Map<string, Windows>();
  #key = 0;
  #suspicious = 0;
  #isIgnored = false;

  /** Whether the key of the last answers is ignored. */
  get isIgnored(): boolean {
    return this.#isIgnored;
  }

  /**
   * Records an answer.
   *
   * @param key - the number of the key that was sent; 0: none was.
   * @returns whether it shows, for the first time, that the key is ignored.
   */
  observe(endpoint: string, key: number, quota: QuotaSnapshot): boolean {
    if (key !== this.#key) {
      this.#key = key;
      this.#windows.clear();
      this.#suspicious = 0;
      this.#isIgnored = false;
    }
    const { stacks } = quota;
    if (key === 0 || !PERIODS.some((period) => stacks[period]?.limit !== undefined)) return false;
    const known = this.#windows.get(endpoint);
    if (!known || !isLesser(stacks, known)) {
      this.#windows.set(endpoint, stacks);
      this.#suspicious = 0;
      this.#isIgnored = false;
      return false;
    }
    const isNews = ++this.#suspicious >= ANSWERS && !this.#isIgnored;
    this.#isIgnored ||= isNews;
    return isNews;
  }
}

/** Whether windows are missing of those that were known, or a limit has shrunk, while none has grown. */
function isLesser(now: Windows, before: Windows): boolean {
  let isLess = false;
  for (const period of PERIODS) {
    const known = before[period]?.limit;
    const limit = now[period]?.limit;
    if (limit !== undefined && (known === undefined || limit > known)) return false;
    if (known !== undefined && (limit === undefined || limit <= known * SHRUNK)) isLess = true;
  }
  return isLess;
}
