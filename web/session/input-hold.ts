// Owns input that is typed while this page opens a terminal: when it starts to wait, which terminal
// gets it, and the messages if none does. pending-input.ts owns the rules.

import type { ReadonlySignal, Signal } from "@preact/signals";
import { effect, signal, untracked } from "@preact/signals";
import type { DropReason, PendingEffect, PendingEvent, PendingPiece } from "./pending-input.ts";
import { advancePendingInput, IDLE_INPUT, MAX_PENDING_MS } from "./pending-input.ts";

/** A terminal that is attached and on the screen. */
export interface InputSink {
  /** Returns why input is blocked there; empty if the page shows the reason anyway. */
  blockedReason(): string | undefined;
  type(data: string): void;
  /** Pastes; returns false if the person is asked first. */
  paste(text: string): boolean;
}

export interface InputHoldDeps {
  readonly toast: (text: string) => void;
  readonly reachable: ReadonlySignal<boolean>;
  /** Returns the key of the current view. */
  readonly current: () => string | undefined;
  /** Counts requests to focus a view. */
  readonly focus: ReadonlySignal<number>;
  /** Returns the key of a terminal's view. */
  readonly getKey: (id: string) => string;
}

const NOT_SENT = "What you typed was not sent.";
const FULL = "You typed too much before the new terminal opened. The rest is not sent.";
const STILL_OPENING =
  "The last terminal is still being opened, so no other was. What you type goes there.";
/**
 * xterm delivers a composed word one task after its end, and gets that end's event after the page.
 */
const TASKS_UNTIL_COMPOSED = 2;
const AFTER_PASTE = "What you typed after the pasted lines was not sent.";

const REASONS: Readonly<Record<Exclude<DropReason, "failed">, string>> = {
  moved: "What you typed for the new terminal was not sent.",
  late: `The new terminal was not ready after ${MAX_PENDING_MS / 1_000} seconds. ${NOT_SENT}`,
  cut: `Not connected. ${NOT_SENT}`,
};

export class InputHold {
  /** True from the request for a terminal to its answer. */
  readonly isOpening = signal(false);
  /** True when a request has waited 10 s for its answer, until it comes: input is no longer held. */
  readonly isLate = signal(false);
  /** True while what is typed waits. */
  readonly isHolding: Signal<boolean> = signal(false);
  readonly #deps: InputHoldDeps;
  /** Terminals attached since the start: ours may attach before the bridge's answer arrives. */
  readonly #sinks = new Map<string, InputSink>();
  readonly #composed = new Set<() => void>();
  #state = IDLE_INPUT;
  #isComposing = false;
  #hasLeft = false;
  /** A cut dropped input; the failure of the request, which follows, says so. */
  #hasLostInput = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #composedTimer: ReturnType<typeof setTimeout> | undefined;
  #unwatch: (() => void) | undefined;

  constructor(deps: InputHoldDeps) {
    this.#deps = deps;
  }

  /** Whether the person has moved elsewhere: then the new terminal does not take the focus. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Whether a terminal was requested and is not on the screen yet. */
  get isUnderWay(): boolean {
    return this.isOpening.value || this.isHolding.value;
  }

  /** Holds input until the requested terminal is attached, for at most 10 s. */
  begin(): void {
    if (this.isOpening.peek() || this.isHolding.peek()) return;
    this.isOpening.value = true;
    this.#hasLeft = false;
    if (!this.#deps.reachable.peek()) return;
    this.#advance({ type: "begin" });
    this.#timer = setTimeout(() => {
      this.isLate.value = this.isOpening.peek();
      this.#drop("late");
    }, MAX_PENDING_MS);
    this.#unwatch = this.#watch();
  }

  /** Refuses a second terminal meanwhile: splitting a typed line between two would be worse. */
  refuseAnother(): void {
    this.#deps.toast(STILL_OPENING);
  }

  /** Takes input from anywhere on the page; returns false while nothing is held. */
  take(piece: PendingPiece): boolean {
    if (!this.isHolding.peek()) return false;
    this.#advance({ type: "typed", piece });
    return true;
  }

  /** Replaces the text from the page's own field. */
  draft(text: string): void {
    this.#advance({ type: "draft", text });
  }

  onComposing(isOn: boolean): void {
    clearTimeout(this.#composedTimer);
    if (isOn) this.#isComposing = true;
    else if (this.#isComposing) this.#waitForWord(TASKS_UNTIL_COMPOSED);
  }

  /** Resolves when no word is being composed: moving the focus would split or lose it. */
  async onComposed(): Promise<void> {
    if (!this.#isComposing || !this.isHolding.peek()) return;
    await new Promise<void>((resolve) => this.#composed.add(resolve));
  }

  /** Counts tasks until xterm has delivered the word; it needs the focus until then. */
  #waitForWord(tasks: number): void {
    if (tasks === 0) {
      this.#isComposing = false;
      this.#onComposed();
    } else this.#composedTimer = setTimeout(() => this.#waitForWord(tasks - 1));
  }

  /** Records that the bridge has opened the terminal. */
  onOpened(id: string): void {
    this.#onAnswered();
    this.#advance({ type: "opened", id, isAttached: this.#sinks.has(id) });
  }

  /** Ends without a terminal, and shows why and that the input was not sent. */
  onFailed(error: string | undefined): void {
    const hadInput = this.#onAnswered() || this.#drop("failed");
    const reason = [error, hadInput ? NOT_SENT : undefined].filter(Boolean).join(" ");
    if (reason !== "") this.#deps.toast(reason);
  }

  onAttached(id: string, sink: InputSink): void {
    if (!this.isHolding.peek()) return;
    this.#sinks.set(id, sink);
    this.#advance({ type: "attached", id });
  }

  /** Drops the input because the person moved elsewhere before the terminal was ready. */
  leave(): void {
    this.#hasLeft = true;
    this.#drop("moved");
  }

  dispose(): void {
    this.#end();
  }

  /** Ends waiting for the answer; returns whether a cut dropped input meanwhile. */
  #onAnswered(): boolean {
    const hasLostInput = this.#hasLostInput;
    this.#hasLostInput = false;
    this.isOpening.value = false;
    this.isLate.value = false;
    return hasLostInput;
  }

  /** Drops the input; returns whether there was any. */
  #drop(why: DropReason): boolean {
    return this.#advance({ type: "dropped", why }).some(
      (one) => one.type === "drop" && one.hadInput,
    );
  }

  #advance(event: PendingEvent): readonly PendingEffect[] {
    const { next, effects } = advancePendingInput(this.#state, event);
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
        if (!step.hadInput || step.why === "failed") return undefined;
        if (step.why === "cut" && this.isOpening.peek()) this.#hasLostInput = true;
        else this.#deps.toast(REASONS[step.why]);
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

  /** Watches where the person is and whether the host is reachable; returns its end. */
  #watch(): () => void {
    const { reachable, current, focus, getKey } = this.#deps;
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
        if (target !== undefined && at === getKey(target)) return;
        // On an empty page the first terminal is shown without a request.
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
