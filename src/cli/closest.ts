/** Edits that turn one word into another, at most, for it to be a likely typing error of the other. */
const MOST_EDITS = 2;

/** The word that was probably meant; undefined if none is close. */
function closest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate) }))
    .filter(({ edits, candidate }) => edits <= MOST_EDITS && edits < candidate.length / 2)
    .sort((one, other) => one.edits - other.edits);
  return best?.candidate ?? words.find((candidate) => word.length >= 3 && candidate.startsWith(word));
}

/** A question to end an error with, preceded by a space; empty if no word is close. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = closest(word, words);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MOST_EDITS) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const edits = [at(row, j - 1) + 1, at(last, j) + 1, at(last, j - 1) + Number(!isSame)];
      row.push(Math.min(...edits, ...(isSwap ? [at(beforeLast, j - 2) + 1] : [])));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
