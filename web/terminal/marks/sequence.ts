// Owns how shells write their marks: what stands behind `OSC 133 ;`. Pure.

export type Mark =
  | { readonly is: "prompt" }
  | { readonly is: "output" }
  | { readonly is: "end"; readonly failed: boolean; readonly code: number };

/** B, where typing begins, and the marks of other terminals say nothing that is needed here. */
export function markOf(values: string): Mark | undefined {
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
