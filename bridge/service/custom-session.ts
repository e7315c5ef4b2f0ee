// Owns a session of a custom provider, in the form that the tools use: polled, since such a
// provider has no events. Counts its bytes.

import type { Exit } from "../../protocol/terminal.ts";
import { KeptOutput } from "../commands/kept-output.ts";
import { Emitter } from "../emitter.ts";
import type { KeyInput } from "../sessions/named-keys.ts";
import type { SessionTarget, Output, TypingPermit } from "../sessions/session-target.ts";
import { errorMessage } from "../errors.ts";
import { KEPT_OUTPUT_LIMITS } from "./command-result.ts";
import type { TerminalProvider } from "./types.ts";

/** Poll intervals: while a call waits for output, and otherwise. */
const FAST_POLL_MS = 50;
const SLOW_POLL_MS = 1_000;
const NO_WAIT = { minInterval: 0, settleInterval: 0, maxInterval: 0 };

type Provider = Pick<TerminalProvider, "collectOutput" | "sendInput" | "terminateSession">;

export class CustomSession implements SessionTarget {
  readonly finished: Promise<void>;
  readonly #provider: Provider;
  readonly #id: string;
  readonly #kept = new KeptOutput(KEPT_OUTPUT_LIMITS);
  readonly #listeners = new Emitter<[]>();
  readonly #finish: () => void;
  /** The provider's position, which may not count bytes. */
  #position = 0;
  #exit: Exit | undefined;
  #polling: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Number of calls that wait for output. */
  #waiting = 0;

  constructor(provider: Provider, id: string) {
    this.#provider = provider;
    this.#id = id;
    let finish = () => {};
    this.finished = new Promise((resolve) => {
      finish = resolve;
    });
    this.#finish = finish;
    this.#schedulePoll();
  }

  exit(): Exit | undefined {
    return this.#exit;
  }

  /** Returns what the last poll collected; its exit is known by then, too. */
  async read(from: number): Promise<Output> {
    const { end } = this.#kept;
    return { pieces: this.#kept.read(Math.min(from, end), end), end };
  }

  subscribe(listener: () => void): () => void {
    const end = this.#listeners.add(listener);
    this.#waiting += 1;
    this.#pollNow();
    let isWaiting = true;
    return () => {
      if (isWaiting) this.#waiting -= 1;
      isWaiting = false;
      end();
    };
  }

  async type(typed: readonly KeyInput[], permit: TypingPermit): Promise<string | undefined> {
    const withdrawn = permit.use();
    if (withdrawn !== undefined) return withdrawn;
    try {
      await this.#provider.sendInput(this.#id, toText(typed));
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  claim(): void {}

  storeProgress(): void {}

  async stop(): Promise<void> {
    try {
      await this.#provider.terminateSession(this.#id);
    } finally {
      this.#end({ exitCode: null, signal: null });
    }
  }

  /** Polls once; concurrent calls share it, since two would count the same output twice. */
  #poll(): Promise<void> {
    this.#polling ??= this.#collect().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #collect(): Promise<void> {
    if (this.#exit !== undefined) return;
    try {
      const { output, newPosition, isComplete, exitCode } = await this.#provider.collectOutput(
        this.#id,
        this.#position,
        NO_WAIT,
      );
      this.#position = newPosition;
      if (output !== "") this.#kept.append(Buffer.from(output));
      if (isComplete) this.#end({ exitCode: exitCode ?? null, signal: null });
      else if (output !== "") this.#listeners.fire();
    } catch (error) {
      this.#kept.append(Buffer.from(`${errorMessage(error)}\n`));
      this.#end({ exitCode: null, signal: null });
    }
  }

  #pollNow(): void {
    clearTimeout(this.#timer);
    void this.#poll().then(() => this.#schedulePoll());
  }

  #schedulePoll(): void {
    clearTimeout(this.#timer);
    if (this.#exit !== undefined) return;
    const wait = this.#waiting > 0 ? FAST_POLL_MS : SLOW_POLL_MS;
    this.#timer = setTimeout(() => this.#pollNow(), wait);
    this.#timer.unref();
  }

  #end(exit: Exit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    clearTimeout(this.#timer);
    this.#finish();
    this.#listeners.fire();
  }
}

function toText(typed: readonly KeyInput[]): string {
  return typed.map((one) => (one.kind === "text" ? one.text : one.bytes)).join("");
}
