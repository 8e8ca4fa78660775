/**
 * Recognises a service, or a cache before it, that does not read the offset: the page of one offset comes for another one. Without this it
 * would be asked for ever. Of the body only the results and the offset count, because the rest may name the time.
 */
export class RepeatedPage {
  #offset = 0;
  #text = '';

  /** Records a page with items, or without. @returns what is wrong if it is the page before again. */
  problemOf(offset: number, items: readonly unknown[], body: unknown): string | undefined {
    const before = this.#offset;
    const { results = body, offset: stated } = (body ?? {}) as Readonly<Record<string, unknown>>;
    const text = JSON.stringify([results, stated]);
    if (items.length > 0 && offset !== before && text === this.#text)
      return `the page at offset ${offset} is that at ${before} again: pages do not go by offset here`;
    this.#offset = offset;
    this.#text = text;
    return undefined;
  }
}
