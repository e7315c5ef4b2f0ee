// Owns a session of a custom provider, in the form that the tools use: polled, since such a
// provider has no events. Counts its bytes.

import type { Exit } from "../../protocol/terminal.ts";
import { KeptOutput } from "../commands/kept.ts";
import { Listeners } from "../listeners.ts";
import type { Typed } from "../sessions/keys.ts";
import type { Live, Output, TypingPermit } from "../sessions/live.ts";
import { messageOf } from "../errors.ts";
import { KEPT } from "./running.ts";
import type { TerminalProvider } from "./types.ts";

/** Poll intervals: while a call waits for output, and otherwise. */
const LOOK_OFTEN_MS = 50;
const LOOK_SELDOM_MS = 1_000;
const AT_ONCE = { minInterval: 0, settleInterval: 0, maxInterval: 0 };

type Provider = Pick<TerminalProvider, "collectOutput" | "sendInput" | "terminateSession">;

export class ForeignLive implements Live {
  readonly finished: Promise<void>;
  readonly #provider: Provider;
  readonly #id: string;
  readonly #kept = new KeptOutput(KEPT);
  readonly #news = new Listeners<[]>();
  readonly #finish: () => void;
  /** The provider's position, which may not count bytes. */
  #position = 0;
  #exit: Exit | undefined;
  #looking: Promise<void> | undefined;
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
    this.#lookLater();
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
    const end = this.#news.add(listener);
    this.#waiting += 1;
    this.#lookNow();
    let isWaiting = true;
    return () => {
      if (isWaiting) this.#waiting -= 1;
      isWaiting = false;
      end();
    };
  }

  async type(typed: readonly Typed[], permit: TypingPermit): Promise<string | undefined> {
    const withdrawn = permit.use();
    if (withdrawn !== undefined) return withdrawn;
    try {
      await this.#provider.sendInput(this.#id, textOf(typed));
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  claim(): void {}

  keep(): void {}

  async stop(): Promise<void> {
    try {
      await this.#provider.terminateSession(this.#id);
    } finally {
      this.#over({ exitCode: null, signal: null });
    }
  }

  /** Polls once; concurrent calls share it, since two would count the same output twice. */
  #look(): Promise<void> {
    this.#looking ??= this.#collect().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #collect(): Promise<void> {
    if (this.#exit !== undefined) return;
    try {
      const { output, newPosition, isComplete, exitCode } = await this.#provider.collectOutput(
        this.#id,
        this.#position,
        AT_ONCE,
      );
      this.#position = newPosition;
      if (output !== "") this.#kept.append(Buffer.from(output));
      if (isComplete) this.#over({ exitCode: exitCode ?? null, signal: null });
      else if (output !== "") this.#news.tell();
    } catch (error) {
      this.#kept.append(Buffer.from(`${messageOf(error)}\n`));
      this.#over({ exitCode: null, signal: null });
    }
  }

  #lookNow(): void {
    clearTimeout(this.#timer);
    void this.#look().then(() => this.#lookLater());
  }

  #lookLater(): void {
    clearTimeout(this.#timer);
    if (this.#exit !== undefined) return;
    const wait = this.#waiting > 0 ? LOOK_OFTEN_MS : LOOK_SELDOM_MS;
    this.#timer = setTimeout(() => this.#lookNow(), wait);
    this.#timer.unref();
  }

  #over(exit: Exit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    clearTimeout(this.#timer);
    this.#finish();
    this.#news.tell();
  }
}

function textOf(typed: readonly Typed[]): string {
  return typed.map((one) => (one.kind === "text" ? one.text : one.bytes)).join("");
}
