// Owns the target of a session as its tools see it: something that prints, takes input and ends.
// Either a terminal of the pool or a command with pipes. Also owns a pool terminal as the target of
// a session: bytes by the host's offsets, keys as a keyboard sends them, and the position stored
// with the pty host.

import { REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { CommandRun } from "../commands/command-run.ts";
import type { KeptPiece } from "../commands/kept-output.ts";
import type { SerialQueue } from "../reading/serial-queue.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { KeyInput } from "./named-keys.ts";
import { hasApplicationForm, getKeyBytes } from "./named-keys.ts";

/** A running or ended command, as the tools need it. */
export type RunLike = Pick<
  CommandRun,
  | "startedAt"
  | "stdout"
  | "stderr"
  | "output"
  | "finished"
  | "life"
  | "countLeftovers"
  | "takesInput"
  | "onOutput"
  | "write"
  | "closeInput"
  | "signal"
  | "endAfter"
  | "end"
>;

export interface Output {
  /** Its stored parts, in order. */
  readonly pieces: readonly KeptPiece[];
  /** Current end of the stream. */
  readonly end: number;
}

/** How far an agent has read a session. */
export interface Progress {
  readonly position: number;
  /** Whether its exit was reported. */
  readonly isTold: boolean;
}

/** Permits one input, as long as the judged line is still what would run. */
export interface TypingPermit {
  /** Returns an error message if the permit is void. Must be called right before the input. */
  use(): string | undefined;
}

export interface SessionTarget {
  /** Returns the exit; undefined while it runs. */
  exit(): Exit | undefined;
  /** Resolves when it has ended and its last byte can be read. */
  readonly finished: Promise<void>;
  /** Reads from `from` on or earlier; undefined if nothing is stored any longer. */
  read(from: number): Promise<Output | undefined>;
  /** Calls `listener` on output and on the exit; returns the unsubscribe function. */
  subscribe(listener: () => void): () => void;
  /** Uses the permit, then types. Resolves to an error message if it cannot type. */
  type(typed: readonly KeyInput[], permit: TypingPermit): Promise<string | undefined>;
  /** Cancels its timeout, because a further call uses it. */
  claim(): void;
  /** Stores the progress for the next bridge. */
  storeProgress(progress: Progress): void;
  /** Ends it with all its processes. */
  stop(): Promise<void>;
}

/** Context before a text, to detect a sequence that continues into it. */
const CONTEXT_BYTES = 4_096;

const INTERRUPT = "C-c";
const END_OF_INPUT = "C-d";

/** Makes a target of a command; it has no terminal, so `<C-c>` is a signal. */
export function toRunTarget(run: RunLike): SessionTarget {
  return {
    exit: () => (run.life.state === "ended" ? run.life.exit : undefined),
    finished: run.finished,
    read: (from) => {
      const { end } = run.output;
      const pieces = run.output.read(Math.max(0, from - CONTEXT_BYTES), end);
      return Promise.resolve({ pieces, end });
    },
    subscribe: (listener) => run.onOutput(() => listener()),
    type: (typed, permit) => Promise.resolve(permit.use() ?? typeIntoRun(run, typed)),
    claim: () => run.endAfter(undefined),
    // Not stored: a command ends with its bridge.
    storeProgress: () => {},
    stop: () => run.end("stopped"),
  };
}

function typeIntoRun(run: RunLike, typed: readonly KeyInput[]): string | undefined {
  const isText = (one: KeyInput) =>
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

export interface TerminalTargetDeps {
  readonly pool: Pick<TerminalPool, "input" | "close" | "storeSessionProgress">;
  /** Limited to what the session's owner may read. */
  readonly output: Pick<TerminalPool, "fetch" | "watch">;
  /** Returns why its owner may not type now; undefined if it may. Called right before typing. */
  readonly getInputBlockedReason: (terminal: PoolTerminal) => string | undefined;
  /** Resolves to whether its program is in application cursor mode. */
  readonly wantsApplicationKeys: (terminal: PoolTerminal) => Promise<boolean>;
  /** Serializes the reads of agents. */
  readonly reads: SerialQueue;
}

export function toTerminalTarget(deps: TerminalTargetDeps, terminal: PoolTerminal): SessionTarget {
  const { pool, output, reads } = deps;
  return {
    exit: () => (terminal.life.state === "finished" ? terminal.life.exit : undefined),
    finished: terminal.finished,
    read: (from) => reads.run(() => read(output, terminal, Math.max(0, from - CONTEXT_BYTES))),
    subscribe: (listener) => output.watch(terminal, listener),
    type: async (typed, permit) => {
      const isApplication =
        typed.some(hasApplicationForm) && (await deps.wantsApplicationKeys(terminal));
      const text = typed.map((one) => toKeyText(one, isApplication)).join("");
      const refusal = deps.getInputBlockedReason(terminal) ?? permit.use();
      if (refusal === undefined) pool.input(terminal, Buffer.from(text));
      return refusal;
    },
    claim: () => {},
    storeProgress: ({ position, isTold }) =>
      pool.storeSessionProgress(terminal, { position, isTold }),
    stop: () => pool.close(terminal, "its session was stopped"),
  };
}

async function read(
  output: TerminalTargetDeps["output"],
  terminal: PoolTerminal,
  from: number,
): Promise<Output | undefined> {
  const fetched = output.fetch(terminal, from, REPLAY_BYTES, (piece) => ({
    pieces: [piece],
    end: piece.offset + piece.bytes.length,
  }));
  return await unlessUnavailable(fetched, () => undefined);
}

function toKeyText(one: KeyInput, isApplication: boolean): string {
  if (one.kind === "text") return one.text;
  return getKeyBytes(one.name, isApplication) ?? one.bytes;
}
