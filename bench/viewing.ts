// Owns the words between the run and its viewer: what to look at, what to measure, what came out.

/** A terminal, and how to reach it as a person's client does. */
export interface Viewed {
  readonly id: string;
  readonly url: string;
  readonly protocols: readonly string[];
  /** Whether whoever sends wants to hear what has been rendered. */
  readonly acks: boolean;
}

export type ViewerRequest =
  | { readonly measure: "echo"; readonly of: Viewed; readonly samples: number }
  | { readonly measure: "bulk"; readonly of: Viewed; readonly bytes: number };

export type ViewerAnswer =
  | { readonly measure: "echo"; readonly milliseconds: readonly number[] }
  | {
      readonly measure: "bulk";
      readonly milliseconds: number;
      /** Of every byte that came, in order. */
      readonly sha256: string;
      readonly messages: number;
    }
  /** No measure: the viewer was too far behind and had to begin anew, or got nothing any more. */
  | { readonly measure: "skipped" | "stuck" }
  | { readonly error: string };
