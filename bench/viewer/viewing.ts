// Owns the words between the run and its viewers: what to look at, what to measure, what came out.

/** Which words a viewer and its server have; see dialects.ts. */
export type DialectName = "json" | "raw" | "bytes" | "ttyd" | "wetty" | "tty-share" | "vibetunnel";

/** Whether a viewer says what it has rendered: as the page does on this machine, or far away. */
export type Acking = "eager" | "sparing" | "never";

/** A terminal, and how to reach it as a person's client does. */
export interface Viewed {
  readonly id: string;
  readonly url: string;
  readonly protocols: readonly string[];
  readonly dialect: DialectName;
  readonly acks: Acking;
}

export type ViewerRequest =
  | {
      readonly measure: "echo";
      readonly of: Viewed;
      readonly samples: number;
      /** A terminal of the same viewer that prints meanwhile, from a first keystroke on. */
      readonly beside?: Viewed;
    }
  | { readonly measure: "bulk"; readonly of: Viewed; readonly bytes: number }
  | {
      /** A flood, then ^C, until the mark behind it is there. */
      readonly measure: "interrupt";
      readonly of: Viewed;
      readonly times: number;
      readonly floodMs: number;
      /** What the viewer reads of its socket, in bytes a second. */
      readonly rate?: number;
      readonly patienceMs: number;
    }
  /** How much comes, and when, until the screen is complete. */
  | { readonly measure: "attach"; readonly of: Viewed }
  /** Prints for so long, whatever comes. */
  | { readonly measure: "busy"; readonly of: Viewed; readonly milliseconds: number };

export type ViewerAnswer =
  | {
      readonly measure: "echo";
      readonly milliseconds: readonly number[];
      /** What the other terminal printed meanwhile. */
      readonly besideBytesPerSecond: number;
    }
  | {
      readonly measure: "bulk";
      readonly milliseconds: number;
      /** Of every byte that came, in order. */
      readonly sha256: string;
      readonly messages: number;
    }
  | { readonly measure: "interrupt"; readonly milliseconds: readonly Waited[] }
  | { readonly measure: "attach"; readonly milliseconds: number; readonly bytes: number }
  | {
      readonly measure: "busy";
      readonly milliseconds: number;
      readonly bytes: number;
      readonly messages: number;
      readonly acks: number;
    }
  /** No measure: the viewer was too far behind and had to begin anew, or got nothing any more. */
  | { readonly measure: "skipped" | "stuck" }
  | { readonly error: string };

/** Milliseconds, and whether somebody gave up waiting then. */
export interface Waited {
  readonly ms: number;
  readonly gaveUp: boolean;
}
