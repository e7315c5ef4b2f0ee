// Owns the result of bash's printf for a format and constant arguments, as precisely as a name needs:
// no padding, no rounding. Marks pass through.

import { UNKNOWN_VALUE } from "./word-marks.ts";

const DIRECTIVE = /%(?:%|[-+ #0']*(?:\d+|\*)?(?:\.(\d+|\*))?[hlLjzt]*([a-zA-Z]|\([^)]*\)T))/g;
const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|[uU]([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|(.))/gs;
const SIGNS: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "",
  e: "",
  f: " ",
  v: " ",
};
/** printf repeats its format while arguments are left. */
const MAX_ROUNDS = 16;
const LAST_CODE_POINT = 0x10_ff_ff;

export function formatPrintf(format: string, args: readonly string[]): string {
  const rest = [...args];
  let text = "";
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = rest.length;
    text += unescapeFormat(
      format.replaceAll(DIRECTIVE, (whole, precision?: string, kind?: string) => {
        if (kind === undefined) return "%";
        if (whole.includes("*")) return UNKNOWN_VALUE;
        return escapeFormat(convertArgument(kind, rest.shift() ?? "", precision));
      }),
    );
    if (rest.length === 0 || rest.length === before) break;
  }
  return text;
}

function convertArgument(kind: string, value: string, precision: string | undefined): string {
  const end = precision === undefined ? Infinity : Number(precision);
  switch (kind) {
    case "s":
    case "q":
    case "Q":
      return value.slice(0, end);
    case "b":
      return unescapeFormat(value).slice(0, end);
    case "c":
      return value.slice(0, 1);
    case "d":
    case "i":
    case "u":
      return String(parseNumber(value));
    case "x":
      return parseNumber(value).toString(16);
    case "X":
      return parseNumber(value).toString(16).toUpperCase();
    case "o":
      return parseNumber(value).toString(8);
    default:
      return UNKNOWN_VALUE;
  }
}

/** Parses a number; `'r` is the code of the letter r. */
function parseNumber(value: string): number {
  if (/^['"]/.test(value)) return value.codePointAt(1) ?? 0;
  const given = Number(/^0\d/.test(value) ? Number.parseInt(value, 8) : value);
  return Number.isFinite(given) ? Math.trunc(given) : 0;
}

/** Escapes backslashes and percent signs, so that only the format is unescaped. */
function escapeFormat(text: string): string {
  return text.replaceAll("\\", "\\\\");
}

function unescapeFormat(text: string): string {
  return text.replaceAll(
    ESCAPE,
    (whole, hex?: string, wide?: string, octal?: string, sign?: string) => {
      const code = Number.parseInt(hex ?? wide ?? octal ?? "", octal === undefined ? 16 : 8);
      if (!Number.isNaN(code)) return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
      return SIGNS[sign ?? ""] ?? sign ?? "";
    },
  );
}
