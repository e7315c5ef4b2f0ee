// Owns what fingers do to one terminal: swipes scroll, two fingers set the size of its letters, a long
// press selects. Which is which, gestures.ts decides. A tap stays the browser's: it clicks.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import type { Point } from "./coasting.ts";
import type { Decision, Gesture, Touch } from "./gestures.ts";
import { next, NO_GESTURE, tickOf } from "./gestures.ts";
import { FingerSelection } from "./selection.ts";

export interface TouchRules {
  /** Whether another window's size is shown: it is panned, and only shown larger. */
  isForeign: () => boolean;
  /** What letters are set in, px. */
  font: () => number;
  /** Larger or smaller letters, by so many px. */
  zoom: (by: number) => void;
}

/** What a browser makes of touches, for pages that know none. */
const IMITATIONS = ["mousedown", "mouseup", "mousemove", "click", "dblclick", "contextmenu"];

export class TouchInput {
  readonly selection: FingerSelection;
  /** Whether the browser keeps the clipboard from the page, and somebody wants to paste. */
  readonly isPasting = signal(false);
  readonly #host: HTMLElement;
  readonly #term: Terminal;
  readonly #rules: TouchRules;
  readonly #listeners = new AbortController();
  #gesture: Gesture = NO_GESTURE;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;
  /** Pixels that were swiped and make no whole line yet. */
  #rest = 0;
  /** The size that a pinch asks for, which is no whole step yet. */
  #wanted: number | undefined;
  /** Of a touch that was no tap, the browser's imitations are nobody's. */
  #isSwallowing = false;

  constructor(host: HTMLElement, term: Terminal, rules: TouchRules) {
    this.#host = host;
    this.#term = term;
    this.#rules = rules;
    this.selection = new FingerSelection(host, term);
    host.classList.add("touched");
    const before = { signal: this.#listeners.signal, capture: true };
    host.addEventListener("pointerdown", (event) => this.#onPointer("down", event), before);
    // Not at the host: a row that is drawn anew is no longer there to hear of it.
    globalThis.addEventListener("pointermove", (event) => this.#onPointer("move", event), before);
    globalThis.addEventListener("pointerup", (event) => this.#onPointer("up", event), before);
    globalThis.addEventListener(
      "pointercancel",
      (event) => this.#onPointer("cancel", event),
      before,
    );
    for (const name of IMITATIONS)
      host.addEventListener(name, (event) => this.#onImitation(event), before);
  }

  dispose(): void {
    this.#listeners.abort();
    this.selection.dispose();
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
  }

  #onPointer(kind: "down" | "move" | "up" | "cancel", event: PointerEvent): void {
    const isTouch = event.pointerType === "touch";
    if (kind === "down") this.#isSwallowing = isTouch;
    const { pointerId: id, clientX: x, clientY: y, timeStamp: at } = event;
    if (isTouch) this.#take({ kind, id, x, y, at });
  }

  #take(touch: Touch): void {
    const { gesture, decisions } = next(this.#gesture, touch, this.#coasts());
    this.#gesture = gesture;
    if (gesture.phase.is !== "pinching") this.#wanted = undefined;
    for (const decision of decisions) this.#carryOut(decision);
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    const tick = tickOf(gesture);
    if (tick === "frame")
      this.#frame = requestAnimationFrame(() =>
        this.#take({ kind: "tick", at: performance.now() }),
      );
    else if (tick !== undefined)
      this.#timer = setTimeout(
        () => this.#take({ kind: "tick", at: tick }),
        tick - performance.now(),
      );
  }

  #carryOut(decision: Decision): void {
    switch (decision.what) {
      case "tap":
        this.#isSwallowing = false;
        return this.selection.letGo();
      case "double tap":
        // Programs that take the mouse know double clicks of their own.
        this.#isSwallowing = !this.#takesMouse();
        return this.#isSwallowing ? this.selection.begin(decision, true) : undefined;
      case "hold":
        return this.selection.begin(decision, false);
      case "drag":
        return this.selection.extend(decision);
      case "drop":
        return this.selection.drop();
      case "swipe":
        return this.#swipe(decision, decision.by);
      case "pinch":
        return this.#pinch(decision, decision.by);
      default:
        return decision satisfies never;
    }
  }

  /** What is larger than its place is panned first; the rest of the way is the scrollback's. */
  #swipe({ x, y }: Point, by: Point): void {
    const host = this.#host;
    let down = by.y;
    if (this.#rules.isForeign()) {
      const before = host.scrollTop;
      host.scrollLeft -= by.x;
      host.scrollTop -= by.y;
      down -= before - host.scrollTop;
    }
    const { grid } = this.selection;
    const height = grid.lineHeight;
    this.#rest -= down;
    const lines = Math.trunc(this.#rest / height);
    this.#rest -= lines * height;
    if (lines === 0) return;
    if (!this.#isPrograms()) return this.#term.scrollLines(lines);
    // xterm makes of it what it makes of a wheel: reports, or arrow keys.
    const wheel = {
      deltaY: Math.sign(lines),
      deltaMode: WheelEvent.DOM_DELTA_LINE,
      clientX: x,
      clientY: y,
      bubbles: true,
      cancelable: true,
    };
    for (let line = 0; line < Math.abs(lines); line++)
      grid.screen?.dispatchEvent(new WheelEvent("wheel", wheel));
  }

  /** What is between the fingers stays there. */
  #pinch({ x, y }: Point, by: number): void {
    const host = this.#host;
    const before = this.#rules.font();
    const isForeign = this.#rules.isForeign();
    this.#wanted = (this.#wanted ?? before) * by;
    // Our own letters change the program's size: in whole steps only.
    const step = isForeign ? 0.5 : 1;
    const change = Math.trunc((this.#wanted - before) / step) * step;
    if (change === 0) return;
    this.#rules.zoom(change);
    if (!isForeign) return;
    const grown = this.#rules.font() / before;
    const { left, top } = host.getBoundingClientRect();
    host.scrollLeft = (host.scrollLeft + x - left) * grown - (x - left);
    host.scrollTop = (host.scrollTop + y - top) * grown - (y - top);
  }

  #takesMouse(): boolean {
    return this.#term.modes.mouseTrackingMode !== "none";
  }

  #isPrograms(): boolean {
    return this.#takesMouse() || this.#term.buffer.active.type === "alternate";
  }

  /** What was sent to a program cannot be stopped by a finger any more. */
  #coasts(): boolean {
    return !this.#isPrograms() && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  #onImitation(event: Event): void {
    if (!this.#isSwallowing) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
