// Owns where here-documents end, for the forms that mean the same in all shells. Judges nothing.

export interface HereDocument {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  /** `<<-`: leading tabs of each line are dropped. */
  readonly dropsTabs: boolean;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The delimiter is one plain word, possibly quoted. */
const OPENING = /<<(-?)[ \t]*(?:'(\w+)'|"(\w+)"|(\\?)(\w+))(?=[\s;&|<>]|$)/y;

/** Reads the delimiter; undefined if shells may disagree on it. */
export function readDelimiter(
  text: string,
  at: number,
): { readonly document: HereDocument; readonly end: number } | undefined {
  OPENING.lastIndex = at;
  const match = OPENING.exec(text);
  if (match === null) return undefined;
  const [, dash, single, double, escape, bare] = match;
  const isQuoted = bare === undefined || escape !== "";
  const delimiter = single ?? double ?? bare ?? "";
  return {
    document: { delimiter, isQuoted, dropsTabs: dash === "-" },
    end: OPENING.lastIndex,
  };
}

/** Finds the end of the bodies that start at `from`, and which of them are expanded. */
export function skipBodies(
  text: string,
  from: number,
  documents: readonly HereDocument[],
): { readonly end: number; readonly expanded: readonly Span[] } {
  const expanded: Span[] = [];
  let at = from;
  for (const document of documents) {
    const start = at;
    let bodyEnd = text.length;
    while (at < text.length) {
      const newline = text.indexOf("\n", at);
      const lineEnd = newline < 0 ? text.length : newline;
      const line = text.slice(at, lineEnd);
      const isEnd = (document.dropsTabs ? line.replace(/^\t+/, "") : line) === document.delimiter;
      if (isEnd) bodyEnd = at;
      at = Math.min(text.length, lineEnd + 1);
      if (isEnd) break;
    }
    if (!document.isQuoted) expanded.push({ start, end: bodyEnd });
  }
  return { end: at, expanded };
}
