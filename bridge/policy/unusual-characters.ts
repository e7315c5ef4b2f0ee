// Owns what unusual characters in a request mean: a person who approves a line must see what will run.

import type { Verdict } from "./verdict.ts";

interface UnusualCharacters {
  readonly characters: RegExp;
  readonly verdict: Verdict;
  readonly why: string;
}

// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const CONTROL = /[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;

const UNUSUAL_CHARACTERS: readonly UnusualCharacters[] = [
  // No argument can contain a NUL byte; programs and people would see different text after it.
  { characters: /\0/, verdict: "blocked", why: "a NUL byte" },
  { characters: CONTROL, verdict: "unknown", why: "a control character" },
  {
    characters:
      // oxlint-disable-next-line no-misleading-character-class -- each is meant by itself
      /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB]/,
    verdict: "unknown",
    why: "an invisible or direction-changing character",
  },
  {
    characters: /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/,
    verdict: "unknown",
    why: "a blank that shells do not split on",
  },
  {
    // Unpaired surrogates and private-use characters: fonts show them as anything, or not at all.
    // The policy's own marks (word-marks.ts) are replaced by U+FFFD before this check.
    characters: /[\uD800-\uDFFF\uE004-\uF8FF\uFFFD\u{E0000}-\u{E0FFF}\u{F0000}-\u{10FFFD}]/u,
    verdict: "unknown",
    why: "a character without a meaning of its own",
  },
];

// Most requests are plain ASCII, so one test is enough.
// oxlint-disable-next-line no-control-regex -- the class is "printable ASCII, tab and line feed"
const PLAIN = /^[\t\n\u0020-\u007E]*$/;

export function findUnusualCharacters(text: string): { verdict: Verdict; why: string }[] {
  if (PLAIN.test(text)) return [];
  return UNUSUAL_CHARACTERS.filter(({ characters }) => characters.test(text)).map(
    ({ verdict, why }) => ({
      verdict,
      why,
    }),
  );
}
