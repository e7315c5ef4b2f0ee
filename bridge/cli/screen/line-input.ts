// Owns a typed line while single keys are active: text, backspace, and its end. Pure; the caller echoes
// the steps.

export type LineStep =
  | { readonly is: "typed" | "erased"; readonly letter: string }
  | { readonly is: "done"; readonly text: string }
  | { readonly is: "cancelled" };

export class LineInput {
  readonly #maxLength: number;
  #text = "";

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Handles raw input; ignores everything after the line's end. */
  feed(input: string): LineStep[] {
    // Ignores arrow keys and the like; Escape alone and Ctrl-C cancel.
    if (input === "\u001B" || input.includes("\u0003")) return [{ is: "cancelled" }];
    if (input.startsWith("\u001B")) return [];
    const steps: LineStep[] = [];
    for (const letter of input) {
      if (letter === "\r" || letter === "\n") {
        return [...steps, { is: "done", text: this.#text.trim() }];
      }
      const step = this.#edit(letter);
      if (step !== undefined) steps.push(step);
    }
    return steps;
  }

  #edit(letter: string): LineStep | undefined {
    if (letter === "\u007F" || letter === "\b") {
      const last = Array.from(this.#text).at(-1);
      if (last === undefined) return undefined;
      this.#text = this.#text.slice(0, -last.length);
      return { is: "erased", letter: last };
    }
    const isText = !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(letter);
    if (!isText || this.#text.length + letter.length > this.#maxLength) return undefined;
    this.#text += letter;
    return { is: "typed", letter };
  }
}
