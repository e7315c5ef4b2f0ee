// Owns what a session is over, as its tools see it: something that prints, may be typed into, and
// ends. A terminal of the pool is one, a command by pipes another.

import type { Exit } from "../../protocol/terminal.ts";
import type { Piece } from "../commands/kept.ts";
import type { CommandRun } from "../commands/run.ts";
import type { Typed } from "./keys.ts";

/** A command that runs or has run, as the tools need it. */
export type RunLike = Pick<
  CommandRun,
  | "startedAt"
  | "stdout"
  | "stderr"
  | "output"
  | "finished"
  | "life"
  | "leftovers"
  | "takesInput"
  | "onNews"
  | "write"
  | "closeInput"
  | "signal"
  | "endAfter"
  | "end"
>;

export interface Output {
  /** What is kept of it, in order. */
  readonly pieces: readonly Piece[];
  /** Where it ends now. */
  readonly end: number;
}

/** How far an agent has come with it. */
export interface Progress {
  readonly position: number;
  /** Its end was told. */
  readonly isTold: boolean;
}

/** Allows one input, for as long as what was judged is still what would run. */
export interface TypingPermit {
  /** Called once, with no wait between it and the input. Returns a message when it does not hold. */
  use(): string | undefined;
}

export interface Live {
  /** Undefined while it runs. */
  exit(): Exit | undefined;
  /** Resolves when it has ended and its last byte can be read. */
  readonly finished: Promise<void>;
  /** From `from` on; it may begin earlier. Undefined when nothing of it is kept any more. */
  read(from: number): Promise<Output | undefined>;
  /** Calls back on output and on the end; returns how to stop that. */
  subscribe(listener: () => void): () => void;
  /** Uses the permit right before it types. Resolves to a message when it cannot type. */
  type(typed: readonly Typed[], permit: TypingPermit): Promise<string | undefined>;
  /** Somebody asked for it again: it does not end by its timeout any more. */
  claim(): void;
  /** Kept where the next bridge finds it. */
  keep(progress: Progress): void;
  /** Ends it and everything in it. */
  stop(): Promise<void>;
}

/** What text needs before it, to know whether a sequence goes on. */
export const CONTEXT_BYTES = 4_096;

const INTERRUPT = "C-c";
const END_OF_INPUT = "C-d";

/** A run has no terminal: `<C-c>` is a signal, `<C-d>` ends its input, Enter is a newline. */
export function overRun(run: RunLike): Live {
  return {
    exit: () => (run.life.state === "ended" ? run.life.exit : undefined),
    finished: run.finished,
    read: (from) => {
      const { end } = run.output;
      const pieces = run.output.read(Math.max(0, from - CONTEXT_BYTES), end);
      return Promise.resolve({ pieces, end });
    },
    subscribe: (listener) => run.onNews(() => listener()),
    type: (typed, permit) => Promise.resolve(permit.use() ?? typeIntoRun(run, typed)),
    claim: () => run.endAfter(undefined),
    // It ends with its bridge.
    keep: () => {},
    stop: () => run.end("stopped"),
  };
}

function typeIntoRun(run: RunLike, typed: readonly Typed[]): string | undefined {
  const isText = (one: Typed) =>
    one.kind === "text" || (one.name !== INTERRUPT && one.name !== END_OF_INPUT);
  if (typed.some(isText) && !run.takesInput) {
    return "Its input is closed. A bash command reads only its stdin parameter; start an interactive one with terminal_start";
  }
  for (const one of typed) {
    if (one.kind === "text") run.write(Buffer.from(one.text));
    else if (one.name === INTERRUPT) run.signal("SIGINT");
    else if (one.name === END_OF_INPUT) run.closeInput();
    else run.write(Buffer.from(one.bytes.replace("\r", "\n")));
  }
  return undefined;
}
