// Owns what a piece of raw input means as a key. Pure.

export type Key =
  | "ctrl-c"
  | "ctrl-z"
  | "ctrl-\\"
  | "enter"
  | "escape"
  | { readonly letter: string };

const CONTROLS: ReadonlyMap<string, Key> = new Map([
  ["\u001A", "ctrl-z"],
  ["\u001C", "ctrl-\\"],
  ["\r", "enter"],
  ["\n", "enter"],
  ["\u001B", "escape"],
]);

/**
 * Undefined for what is no key of ours. Several characters at once are a paste or an arrow key: a
 * `q` in there must not end anything. Ctrl-C counts wherever it is, and a letter that Enter follows
 * at once is the letter: so is a question answered by whoever types `y` and Enter.
 */
export function keyOf(input: string): Key | undefined {
  if (input.includes("\u0003")) return "ctrl-c";
  const control = CONTROLS.get(input);
  if (control !== undefined) return control;
  const letter = /^([a-z1-9?])[\r\n]?$/i.exec(input)?.[1];
  return letter === undefined ? undefined : { letter: letter.toLowerCase() };
}
