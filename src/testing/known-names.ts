/** Most edits that turn a mistyped name into the one that was meant. */
const MOST_EDITS = 2;

/**
 * Checks that an object has no properties but these; one that is undefined counts as left out.
 *
 * @param options - what they are, such as `the options of a mock service`.
 */
export function checkNames(given: object, names: readonly string[], options: string): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !names.includes(name))
      throw new Error(`${name} is not one of ${options}: ${names.join(', ')}.${didYouMean(name, names)}`);
  }
}

/** A question to end an error with, preceded by a space; empty if no name is close. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const close = names
    .map((name) => ({ name, edits: editsBetween(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= MOST_EDITS && edits < name.length / 2)
    .sort((a, b) => a.edits - b.edits);
  return close[0] ? ` Did you mean ${close[0].name}?` : '';
}

/** The number of insertions, deletions and replacements that turn one word into the other (Levenshtein distance). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let line = 1; line <= one.length; line++) {
    const next = [line];
    for (let at = 1; at <= other.length; at++) {
      const replaced = Number(row[at - 1]) + Number(one[line - 1] !== other[at - 1]);
      next.push(Math.min(replaced, Number(row[at]) + 1, Number(next[at - 1]) + 1));
    }
    row = next;
  }
  return Number(row[other.length]);
}
