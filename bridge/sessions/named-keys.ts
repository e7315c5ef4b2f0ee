// Owns the named keys in typed input: `<C-c>`, `<Up>`, `<Enter>`… One table, for every tool that
// types. Pure. Unknown names are text, so `<div>` and `cat <<EOF` are typed as they are; `<<Up>`
// types `<Up>`.

/** A key's bytes; `application` for programs in application cursor mode. */
interface Key {
  readonly normal: string;
  readonly application?: string;
}

const ESC = "\x1b";

const cursor = (final: string): Key => ({
  normal: `${ESC}[${final}`,
  application: `${ESC}O${final}`,
});
const key = (normal: string): Key => ({ normal });

const NAMED: ReadonlyMap<string, Key> = new Map([
  ["Enter", key("\r")],
  ["CR", key("\r")],
  ["Tab", key("\t")],
  ["S-Tab", key(`${ESC}[Z`)],
  ["Esc", key(ESC)],
  ["Space", key(" ")],
  ["BS", key("\x7f")],
  ["Backspace", key("\x7f")],
  ["Up", cursor("A")],
  ["Down", cursor("B")],
  ["Right", cursor("C")],
  ["Left", cursor("D")],
  ["Home", cursor("H")],
  ["End", cursor("F")],
  ["Insert", key(`${ESC}[2~`)],
  ["Del", key(`${ESC}[3~`)],
  ["Delete", key(`${ESC}[3~`)],
  ["PageUp", key(`${ESC}[5~`)],
  ["PageDown", key(`${ESC}[6~`)],
  ["C-Up", key(`${ESC}[1;5A`)],
  ["C-Down", key(`${ESC}[1;5B`)],
  ["C-Right", key(`${ESC}[1;5C`)],
  ["C-Left", key(`${ESC}[1;5D`)],
  ["C-Space", key("\0")],
  ...["P", "Q", "R", "S"].map((final, at) => [`F${at + 1}`, key(`${ESC}O${final}`)] as const),
  ...[15, 17, 18, 19, 20, 21, 23, 24].map(
    (code, at) => [`F${at + 5}`, key(`${ESC}[${code}~`)] as const,
  ),
]);

/** Every name of the table; `C-x` and `M-x` are rules in addition. */
export const KEY_NAMES: readonly string[] = [...NAMED.keys()];

/** `C-a` to `C-z` and the signs that have a control character. */
const CONTROL = /^C-([A-Za-z@[\\\]^_])$/;
/** Alt is ESC before the character. */
const ALT = /^M-([!-~])$/;

export type KeyInput =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "key"; readonly name: string; readonly bytes: string };

export function getKeyBytes(name: string, isApplication = false): string | undefined {
  const named = NAMED.get(name);
  if (named !== undefined)
    return isApplication ? (named.application ?? named.normal) : named.normal;
  const control = CONTROL.exec(name)?.[1];
  // A control character is the lowest five bits of its letter or sign.
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
  const alt = ALT.exec(name)?.[1];
  return alt === undefined ? undefined : ESC + alt;
}

/** Whether the key has a different form in application cursor mode. */
export function hasApplicationForm(one: KeyInput): boolean {
  return one.kind === "key" && NAMED.get(one.name)?.application !== undefined;
}

/** Parses text and named keys, in the order in which they are typed. */
export function parseKeys(stdin: string): KeyInput[] {
  const typed: KeyInput[] = [];
  let text = "";
  const flush = () => {
    if (text !== "") typed.push({ kind: "text", text });
    text = "";
  };
  let at = 0;
  for (const found of stdin.matchAll(/<(<?)([A-Za-z][\w-]*|[CM]-[!-~])>/g)) {
    const [whole, escape, name = ""] = found;
    const bytes = getKeyBytes(name);
    if (bytes === undefined) continue;
    text += stdin.slice(at, found.index);
    at = found.index + whole.length;
    if (escape === "<") {
      text += `<${name}>`;
      continue;
    }
    flush();
    typed.push({ kind: "key", name, bytes });
  }
  text += stdin.slice(at);
  flush();
  return typed;
}
