// Owns decoding the character references that are common in Markdown. Pure; all others stay as
// written.

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  copy: "©",
  larr: "←",
  rarr: "→",
};

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6})|([A-Za-z]{2,8}));/g;

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(REFERENCE, (whole, decimal, hex, name) => {
    if (typeof name === "string")
      return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
    return isCharacter ? String.fromCodePoint(code) : "\uFFFD";
  });
}
