// Owns comparing output that a document shows with output that was printed: the same lines in the
// same order, whatever differs from day to day. Lines that were printed between are left alone.

/** What differs: what it looks like on the page, and what may stand in its place. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/pp_[0-9A-Za-z]{10}_(?:[0-9A-Za-z]{32}|…)/, "pp_[0-9A-Za-z]{10}_[0-9A-Za-z]{32}"],
  [/pty-[0-9a-f]{12}/, "pty-[0-9a-f]{12}"],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/, String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`],
  [
    /(?<![\w:])(?:\d{1,2} [A-Z][a-z]{2} (?:\d{4} )?)?\d\d:\d\d(?::\d\d)?(?!\w)/,
    String.raw`(?:\d{1,2} [A-Z][a-z]{2} (?:\d{4} )?)?\d\d:\d\d(?::\d\d)?`,
  ],
  // A workspace's id and a grant's.
  [/(?<![\w/])[a-z0-9]{20}(?!\w)|(?<=\/w\/)[a-z0-9]{20}/, "[a-z0-9]{20}"],
  [/(?<!\w)(?=[A-Za-z]*\d)[0-9A-Za-z]{10}(?!\w)/, "[0-9A-Za-z]{10}"],
  [/\/home\/ada\S*/, String.raw`/\S+`],
  [/v?\d+(?:\.\d+)*(?:-beta\.\d+)?/, String.raw`v?\d+(?:\.\d+)*(?:-beta\.\d+)?`],
  [/…/, ".*"],
  [/\s+/, String.raw`\s+`],
];

const ANY = new RegExp(VARIABLE.map(([looks]) => `(${looks.source})`).join("|"), "g");

export function toShape(line: string): RegExp {
  let source = "";
  let at = 0;
  const trimmed = line.trim();
  for (const match of trimmed.matchAll(ANY)) {
    const which = match.slice(1).findIndex((group) => group !== undefined);
    source += literal(trimmed.slice(at, match.index)) + (VARIABLE[which]?.[1] ?? "");
    at = match.index + match[0].length;
  }
  return new RegExp(`^${source}${literal(trimmed.slice(at))}$`);
}

/** The first line of `shown` that was not printed in its place; undefined when all were. */
export function missingFrom(printed: string, shown: string): string | undefined {
  const lines = printed.split(/\r?\n/).map((line) => line.trim());
  let from = 0;
  for (const line of shown.split("\n")) {
    if (line.trim() === "") continue;
    const shape = toShape(line);
    const found = lines.findIndex((one, index) => index >= from && shape.test(one));
    if (found === -1) return line;
    from = found + 1;
  }
  return undefined;
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
