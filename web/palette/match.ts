// Owns how well what was typed fits a text: its letters in their order, words' beginnings and runs of
// letters before others. Pure.

export interface Match {
  /** More is better. */
  readonly score: number;
  /** Where the letters are. */
  readonly at: readonly number[];
}

const A_LETTER = 1;
const A_RUN = 8;
const A_WORD = 6;
const THE_BEGINNING = 3;

/** Undefined where it does not fit. Words may come in any order. */
export function match(typed: string, text: string): Match | undefined {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = text.toLowerCase();
  const found = words.map((word) => bestOf(word, lower));
  let score = 0;
  for (const one of found) {
    if (one === undefined) return undefined;
    score += one.score;
  }
  const at = new Set(found.flatMap((one) => one?.at ?? []));
  // Of two that fit alike, the shorter one was meant.
  return { score: score - text.length / 100, at: [...at].toSorted((a, b) => a - b) };
}

/** From each place where it can begin; a few dozen letters, so all are tried. */
function bestOf(word: string, text: string): Match | undefined {
  let best: Match | undefined;
  for (
    let from = text.indexOf(word[0] ?? "");
    from >= 0;
    from = text.indexOf(word[0] ?? "", from + 1)
  ) {
    const one = beginningAt(word, text, from);
    if (one && one.score > (best?.score ?? Number.NEGATIVE_INFINITY)) best = one;
  }
  return best;
}

function beginningAt(word: string, text: string, from: number): Match | undefined {
  const at: number[] = [];
  let score = from === 0 ? THE_BEGINNING : 0;
  let next = from;
  for (const letter of word) {
    const last = at.at(-1);
    const isRun = last !== undefined && text.startsWith(letter, last + letter.length);
    const found = isRun ? last + letter.length : placeOf(letter, text, next);
    if (found < 0) return undefined;
    score += A_LETTER + (isRun ? A_RUN : 0) + (beginsWord(text, found) ? A_WORD : 0);
    at.push(found);
    next = found + letter.length;
  }
  return { score, at };
}

/** At the beginning of a word, if there is one further on. */
function placeOf(letter: string, text: string, from: number): number {
  const first = text.indexOf(letter, from);
  for (let at = first; at >= 0; at = text.indexOf(letter, at + 1))
    if (beginsWord(text, at)) return at;
  return first;
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}’]/u.test(text[at - 1] ?? "");
}
