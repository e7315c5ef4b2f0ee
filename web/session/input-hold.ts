// Owns input that is typed while this page opens a terminal: when it begins to wait, who gets it, and
// what the person is told if nobody does. The rules are pending-input.ts.

import type { ReadonlySignal, Signal } from "@preact/signals";
import { effect, signal, untracked } from "@preact/signals";
import type { DropReason, PendingEffect, PendingEvent, PendingPiece } from "./pending-input.ts";
import { advance, IDLE, MAX_PENDING_MS } from "./pending-input.ts";

/** A terminal that is attached and on the screen. */
export interface InputSink {
  /** Why nothing can be typed there now; empty where the page shows it anyway. */
  blockedReason(): string | undefined;
  type(data: string): void;
  /** False where the person is asked first. */
  paste(text: string): boolean;
}

export interface InputHoldDeps {
  readonly toast: (text: string) => void;
  readonly reachable: ReadonlySignal<boolean>;
  /** The key of the view in use. */
  readonly current: () => string | undefined;
  /** Counts requests to go into a view. */
  readonly focus: ReadonlySignal<number>;
  /** A terminal's key as a view. */
  readonly keyOf: (id: string) => string;
}

const NOT_SENT = "What you typed was not sent.";
const FULL =
  "That is too much to keep until the new terminal is there: the rest of what you type is not sent.";
const STILL_OPENING =
  "The last terminal is still being opened: no other was, and what you type goes there.";
/** xterm hands on a composed word one task after its end, and hears of that end after the page does. */
const TASKS_TO_WORD = 2;
const AFTER_PASTE = "What you typed after the pasted lines was not sent.";

const REASONS: Readonly<Record<Exclude<DropReason, "failed">, string>> = {
  moved: "What you typed for the new terminal was not sent.",
  late: `The new terminal was not ready after ${MAX_PENDING_MS / 1_000} seconds. ${NOT_SENT}`,
  cut: `Not connected. ${NOT_SENT}`,
};

export class InputHold {
  /** True from the request for a terminal to its answer. */
  readonly isOpening = signal(false);
  /** True while what is typed waits. */
  readonly isHolding: Signal<boolean> = signal(false);
  readonly #deps: InputHoldDeps;
  /** Terminals that were attached since it began: one may be ours before we are told so. */
  readonly #sinks = new Map<string, InputSink>();
  readonly #composed = new Set<() => void>();
  #state = IDLE;
  #isComposing = false;
  #hasLeft = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #composedTimer: ReturnType<typeof setTimeout> | undefined;
  #unwatch: (() => void) | undefined;

  constructor(deps: InputHoldDeps) {
    this.#deps = deps;
  }

  /** Whether the person has gone elsewhere since: then the new terminal does not take the focus. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Whether a terminal is asked for, or is there and not yet on the screen. */
  get isUnderWay(): boolean {
    return this.isOpening.value || this.isHolding.value;
  }

  /** Holds input until the terminal that is now asked for is attached, for 10 s at most. */
  begin(): void {
    if (this.isOpening.peek() || this.isHolding.peek()) return;
    this.isOpening.value = true;
    this.#hasLeft = false;
    if (!this.#deps.reachable.peek()) return;
    this.#advance({ type: "begin" });
    this.#timer = setTimeout(() => this.#drop("late"), MAX_PENDING_MS);
    this.#unwatch = this.#watch();
  }

  /** One more is asked for meanwhile, and is not opened. Half a line would be worse than a whole one. */
  refuseAnother(): void {
    this.#deps.toast(STILL_OPENING);
  }

  /** Takes what is typed anywhere on the page; false while nothing is held. */
  take(piece: PendingPiece): boolean {
    if (!this.isHolding.peek()) return false;
    this.#advance({ type: "typed", piece });
    return true;
  }

  /** Replaces what stands in the page's own field. */
  draft(text: string): void {
    this.#advance({ type: "draft", text });
  }

  composing(isOn: boolean): void {
    clearTimeout(this.#composedTimer);
    if (isOn) this.#isComposing = true;
    else if (this.#isComposing) this.#waitForWord(TASKS_TO_WORD);
  }

  /** Resolves when no word is being composed: moving the focus would cut it in two, or lose it. */
  async composed(): Promise<void> {
    if (!this.#isComposing || !this.isHolding.peek()) return;
    await new Promise<void>((resolve) => this.#composed.add(resolve));
  }

  /** Counts tasks until xterm has handed on the word: it needs the focus until then. */
  #waitForWord(tasks: number): void {
    if (tasks === 0) {
      this.#isComposing = false;
      this.#onComposed();
    } else this.#composedTimer = setTimeout(() => this.#waitForWord(tasks - 1));
  }

  /** The bridge has opened it. */
  opened(id: string): void {
    this.isOpening.value = false;
    this.#advance({ type: "opened", id, isAttached: this.#sinks.has(id) });
  }

  /** There is no new terminal; says why, and what became of the input. */
  failed(error: string | undefined): void {
    this.isOpening.value = false;
    const hadInput = this.#drop("failed");
    const reason = [error, hadInput ? NOT_SENT : undefined].filter(Boolean).join(" ");
    if (reason !== "") this.#deps.toast(reason);
  }

  attached(id: string, sink: InputSink): void {
    if (!this.isHolding.peek()) return;
    this.#sinks.set(id, sink);
    this.#advance({ type: "attached", id });
  }

  /** The person goes elsewhere, before the new terminal is there. */
  leave(): void {
    this.#hasLeft = true;
    this.#drop("moved");
  }

  dispose(): void {
    this.#end();
  }

  /** Whether something was typed. */
  #drop(why: DropReason): boolean {
    return this.#advance({ type: "dropped", why }).some(
      (one) => one.type === "drop" && one.hadInput,
    );
  }

  #advance(event: PendingEvent): readonly PendingEffect[] {
    const { next, effects } = advance(this.#state, event);
    this.#state = next;
    this.isHolding.value = next.state === "holding";
    for (const one of effects) this.#apply(one);
    if (next.state === "idle") this.#end();
    return effects;
  }

  #apply(step: PendingEffect): void {
    switch (step.type) {
      case "full":
        return this.#deps.toast(FULL);
      case "deliver":
        return this.#deliver(step.id, step.pieces);
      case "drop":
        if (step.why === "moved") this.#hasLeft = true;
        if (step.hadInput && step.why !== "failed") this.#deps.toast(REASONS[step.why]);
        return undefined;
      default:
        return step satisfies never;
    }
  }

  #deliver(id: string, pieces: readonly PendingPiece[]): void {
    const sink = this.#sinks.get(id);
    if (pieces.length === 0) return;
    const blocked = sink ? sink.blockedReason() : "";
    if (!sink || blocked !== undefined)
      return this.#deps.toast([blocked || "The new terminal has ended.", NOT_SENT].join(" "));
    for (const [at, piece] of pieces.entries()) {
      if (piece.kind === "keys") sink.type(piece.data);
      else if (!sink.paste(piece.text) && at < pieces.length - 1)
        return this.#deps.toast(AFTER_PASTE);
    }
    return undefined;
  }

  /** Watches where the person is, and whether anything would arrive; returns the end of it. */
  #watch(): () => void {
    const { reachable, current, focus, keyOf } = this.#deps;
    const from = current();
    const entered = focus.peek();
    return effect(() => {
      const isReachable = reachable.value;
      const hasEntered = focus.value !== entered;
      const at = current();
      untracked(() => {
        if (this.#state.state === "idle") return;
        if (!isReachable) return void this.#drop("cut");
        const { target } = this.#state;
        if (target !== undefined && at === keyOf(target)) return;
        // On an empty page the first terminal is shown by itself.
        if (hasEntered || (from !== undefined && at !== from)) this.leave();
      });
    });
  }

  #onComposed(): void {
    for (const resolve of this.#composed) resolve();
    this.#composed.clear();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#sinks.clear();
    this.#onComposed();
  }
}
