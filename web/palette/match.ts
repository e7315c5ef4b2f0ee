// Owns how well a query matches a text: its letters in order, where word starts and runs of letters
// score higher. Pure.

export interface Match {
  /** Higher is better. */
  readonly score: number;
  /** Positions of the matched letters. */
  readonly matchedAt: readonly number[];
}

const LETTER_SCORE = 1;
const RUN_SCORE = 8;
const WORD_START_SCORE = 6;
const TEXT_START_SCORE = 3;

/** Returns the match; undefined if there is none. Words may come in any order. */
export function match(query: string, text: string): Match | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = text.toLowerCase();
  const found = words.map((word) => findBest(word, lower));
  let score = 0;
  for (const one of found) {
    if (one === undefined) return undefined;
    score += one.score;
  }
  const at = new Set(found.flatMap((one) => one?.matchedAt ?? []));
  // Of two equal matches, the shorter text wins.
  return { score: score - text.length / 100, matchedAt: [...at].toSorted((a, b) => a - b) };
}

/** Tries every starting position, of which there are few. */
function findBest(word: string, text: string): Match | undefined {
  let best: Match | undefined;
  for (
    let from = text.indexOf(word[0] ?? "");
    from >= 0;
    from = text.indexOf(word[0] ?? "", from + 1)
  ) {
    const one = matchFrom(word, text, from);
    if (one && one.score > (best?.score ?? Number.NEGATIVE_INFINITY)) best = one;
  }
  return best;
}

function matchFrom(word: string, text: string, from: number): Match | undefined {
  const at: number[] = [];
  let score = from === 0 ? TEXT_START_SCORE : 0;
  let next = from;
  for (const letter of word) {
    const last = at.at(-1);
    const isRun = last !== undefined && text.startsWith(letter, last + letter.length);
    const found = isRun ? last + letter.length : findLetter(letter, text, next);
    if (found < 0) return undefined;
    score +=
      LETTER_SCORE + (isRun ? RUN_SCORE : 0) + (beginsWord(text, found) ? WORD_START_SCORE : 0);
    at.push(found);
    next = found + letter.length;
  }
  return { score, matchedAt: at };
}

/** Finds the letter, preferably at the start of a word. */
function findLetter(letter: string, text: string, from: number): number {
  const first = text.indexOf(letter, from);
  for (let at = first; at >= 0; at = text.indexOf(letter, at + 1))
    if (beginsWord(text, at)) return at;
  return first;
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}’]/u.test(text[at - 1] ?? "");
}
