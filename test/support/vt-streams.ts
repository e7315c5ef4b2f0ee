// Owns random terminal streams: text of all widths, movement, erasing, scrolling, looks and modes,
// with enough nonsense among them.

import fc from "fast-check";
import {
  CHARSETS,
  LEVEL_BY_DESIGNATOR,
  ALTERNATE_SCREEN_MODES,
  formatMode,
  MOUSE_ENCODINGS,
  MOUSE_PROTOCOLS,
  PRIVATE_MODES,
} from "../../bridge/sequences/mode-table.ts";

const number = fc.oneof(fc.constant(""), fc.integer({ min: 0, max: 40 }).map(String));

const word = fc.oneof(
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 30 }),
  fc.constantFrom(
    "漢字",
    "日本語テキスト",
    "e\u0301o\u0308",
    "😀👍🏽",
    "👨‍👩‍👧",
    "ﬁ",
    "│─┐",
    "a漢",
    "ＡＢ",
  ),
);

const control = fc.constantFrom("\r\n", "\r\n", "\n", "\r", "\t", "\b", "\x0e", "\x0f", "\x07");

const look = fc
  .array(
    fc.constantFrom(
      ..."0 1 2 3 4 4:3 21 5 7 8 9 22 23 24 25 27 28 29 31 38;5;200 38;2;1;2;3 39 42 48;5;17 48;2;9;8;7 49 53 55 58;5;9 58;2;4;5;6 59 91 104".split(
        " ",
      ),
    ),
    { maxLength: 4 },
  )
  .map((codes) => `\x1b[${codes.join(";")}m`);

const movement = fc
  .tuple(number, number, fc.constantFrom(..."ABCDEFGHIZ`adef".split("")))
  .map(([a, b, final]) => `\x1b[${a};${b}${final}`);

const change = fc
  .tuple(number, fc.constantFrom(..."@JKLMPSTX".split("")))
  .map(([a, final]) => `\x1b[${a}${final}`);

/** Those that are followed, and some that are not. */
const MODES: readonly number[] = [
  ...PRIVATE_MODES.map(({ number: followed }) => followed),
  ...Object.values(MOUSE_PROTOCOLS),
  ...Object.values(MOUSE_ENCODINGS),
  ...ALTERNATE_SCREEN_MODES,
  2,
  12,
  1048,
];

const mode = fc
  .tuple(fc.constantFrom(...MODES), fc.boolean())
  .map(([name, on]) => formatMode(name, on));

const charset = fc
  .tuple(fc.constantFrom(...LEVEL_BY_DESIGNATOR.keys()), fc.constantFrom(...CHARSETS, "`", "x"))
  .map(([designator, name]) => `\x1b${designator}${name}`);

const other = fc.oneof(
  fc.constantFrom(
    "\x1b7",
    "\x1b8",
    "\x1b[s",
    "\x1b[u",
    "\x1bD",
    "\x1bE",
    "\x1bM",
    "\x1bH",
    "\x1b[3g",
    "\x1b[g",
    "\x1b=",
    "\x1b>",
    "\x1bc",
    "\x1b[!p",
    "\x1b(0",
    "\x1b(B",
    "\x1b)0",
    "\x1bn",
    "\x1bo",
    "\x1b[m\x1b#8",
    "\x1b[4h",
    "\x1b[4l",
    "\x1b[20h",
    "\x1b[20l",
    '\x1b[1"q',
    '\x1b["q',
    "\x1b[?J",
    "\x1b[?K",
    "\x1b]2;a title\x07",
    "\x1b]0;another title\x1b\\",
    "\x1b[22t",
    "\x1b[22;2t",
    "\x1b[22;1t",
    "\x1b[23t",
    "\x1b[23;0t",
    "\x1b]0;another\x1b\\",
    "\x1b[3b",
    "\x1b[2'}",
    "\x1b[2'~",
    "\x1b[2 @",
    "\x1b[2 A",
  ),
  charset,
  fc.integer({ min: 0, max: 6 }).map((style) => `\x1b[${style} q`),
  fc.tuple(number, number).map(([top, bottom]) => `\x1b[${top};${bottom}r`),
);

/** Whole sequences only. */
export const vtStream: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: word },
      { weight: 3, arbitrary: control },
      { weight: 2, arbitrary: look },
      { weight: 2, arbitrary: movement },
      { weight: 2, arbitrary: change },
      { weight: 1, arbitrary: mode },
      { weight: 1, arbitrary: other },
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(""));

/** What breaks off, is nested, or is nothing at all. */
export const vtNoise: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\x1b",
        "\x1b[",
        "\x1b[?",
        "\x1b[?1",
        ";",
        "h",
        "l",
        "\x1b]0;",
        "\x1b]2;t",
        "\x1b\\",
        "\x07",
        "\x18",
        "\x1a",
        "\x1bP",
        "$q",
        "\x1b_x",
        "\x1b^",
        "\u009b",
        "\u009d2;",
        "\u009c",
        "\u0090",
        "\u0085",
        "é",
        "漢",
        "\x7f",
        "\x00",
        "\x1b(",
        "0",
        "\x1b[1$",
        "\x1b[ ",
        "q",
        "<",
        ">",
        ":",
        "2004",
      ),
      vtStream,
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(""));
