// Owns parsing the payload of `OSC 133 ;`, the marks of shell integration. Pure.

export type ShellMark =
  | { readonly is: "prompt" }
  | { readonly is: "output" }
  | { readonly is: "end"; readonly failed: boolean; readonly code: number };

/** Parses a mark; undefined for B (start of input) and for extensions, which are not needed here. */
export function parseMark(values: string): ShellMark | undefined {
  const [kind, code = ""] = values.split(";");
  switch (kind) {
    case "A":
      return { is: "prompt" };
    case "C":
      return { is: "output" };
    case "D": {
      const number = /^\d{1,3}$/.test(code) ? Number(code) : 0;
      return { is: "end", failed: number !== 0, code: number };
    }
    default:
      return undefined;
  }
}
