// Parses raw input as a key. Pure.

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
 * Returns the key; undefined if the input is not a single key. Several characters at once are a
 * paste or an arrow key: a `q` among them must not quit. Ctrl-C counts anywhere; a letter directly
 * followed by Enter counts as the letter.
 */
export function parseKey(input: string): Key | undefined {
  if (input.includes("\u0003")) return "ctrl-c";
  const control = CONTROLS.get(input);
  if (control !== undefined) return control;
  const letter = /^([a-z1-9?])[\r\n]?$/i.exec(input)?.[1];
  return letter === undefined ? undefined : { letter: letter.toLowerCase() };
}
