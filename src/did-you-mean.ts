/** Edits that turn one word into another, at most, for it to be a likely typing error of the other. */
const MOST_EDITS = 2;

/** A question to end an error with, preceded by a space; empty if no word is close. */
export function didYouMean(word: string, words: readonly string[]): string {
  const typed = word.toLowerCase();
  const find = (isMeant: (one: string) => boolean) => words.find((one) => isMeant(one.toLowerCase()));
  let meant: string | undefined;
  for (let edits = 0; edits <= MOST_EDITS; edits++)
    meant ??= find((one) => edits < one.length / 2 && areWithin(edits, typed, one));
  meant ??= find((one) => typed.length > MOST_EDITS && one.startsWith(typed));
  return meant ? ` Did you mean ${meant}?` : '';
}

/** Whether so many insertions, deletions and replacements, or fewer, turn one word into the other. */
function areWithin(edits: number, one: string, other: string): boolean {
  if (!one || !other || edits < 0) return one.length + other.length <= edits;
  const [a, b] = [one.slice(1), other.slice(1)];
  if (one[0] === other[0]) return areWithin(edits, a, b);
  const left = edits - 1;
  return areWithin(left, a, b) || areWithin(left, a, other) || areWithin(left, one, b);
}
