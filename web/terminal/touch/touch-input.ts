// Owns touch input of one terminal: swipes scroll, pinches change the font size, a long press selects.
// gestures.ts recognises the gestures. Taps are left to the browser, which turns them into clicks.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import type { Point, Decision, Gesture, GestureInput } from "./gestures.ts";
import { advanceGesture, NO_GESTURE, getNextTick } from "./gestures.ts";
import { FingerSelection } from "./finger-selection.ts";

export interface TouchInputDeps {
  /** Whether another window's size is shown, which is panned and zoomed only on this page. */
  isForeign: () => boolean;
  /** Returns the font size, px. */
  font: () => number;
  /** Changes the font size by so many px. */
  zoom: (by: number) => void;
}

/** Mouse events that browsers emulate from touches. */
const EMULATED_MOUSE_EVENTS = [
  "mousedown",
  "mouseup",
  "mousemove",
  "click",
  "dblclick",
  "contextmenu",
];

export class TouchInput {
  readonly selection: FingerSelection;
  /** Whether the manual paste field is open, because the browser blocks the clipboard. */
  readonly isPasting = signal(false);
  readonly #host: HTMLElement;
  readonly #term: Terminal;
  readonly #deps: TouchInputDeps;
  readonly #listeners = new AbortController();
  #gesture: Gesture = NO_GESTURE;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;
  /** Swiped pixels that do not make a whole line yet. */
  #scrollRemainder = 0;
  /** Font size that a pinch aims at, before rounding to steps. */
  #pinchFont: number | undefined;
  /** Whether to suppress emulated mouse events, because the touch was not a tap. */
  #suppressesMouse = false;

  constructor(host: HTMLElement, term: Terminal, deps: TouchInputDeps) {
    this.#host = host;
    this.#term = term;
    this.#deps = deps;
    this.selection = new FingerSelection(host, term);
    host.classList.add("touched");
    const before = { signal: this.#listeners.signal, capture: true };
    host.addEventListener("pointerdown", (event) => this.#onPointer("down", event), before);
    // On the window: a touched row that is re-rendered would no longer deliver events to the host.
    globalThis.addEventListener("pointermove", (event) => this.#onPointer("move", event), before);
    globalThis.addEventListener("pointerup", (event) => this.#onPointer("up", event), before);
    globalThis.addEventListener(
      "pointercancel",
      (event) => this.#onPointer("cancel", event),
      before,
    );
    for (const name of EMULATED_MOUSE_EVENTS)
      host.addEventListener(name, (event) => this.#onEmulatedMouse(event), before);
  }

  dispose(): void {
    this.#listeners.abort();
    this.selection.dispose();
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
  }

  #onPointer(kind: "down" | "move" | "up" | "cancel", event: PointerEvent): void {
    const isTouch = event.pointerType === "touch";
    if (kind === "down") this.#suppressesMouse = isTouch;
    const { pointerId: id, clientX: x, clientY: y, timeStamp: at } = event;
    if (isTouch) this.#handleInput({ kind, id, x, y, at });
  }

  #handleInput(touch: GestureInput): void {
    const { gesture, decisions } = advanceGesture(this.#gesture, touch, this.#coasts());
    this.#gesture = gesture;
    if (gesture.phase.is !== "pinching") this.#pinchFont = undefined;
    for (const decision of decisions) this.#applyDecision(decision);
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    const tick = getNextTick(gesture);
    if (tick === "frame")
      this.#frame = requestAnimationFrame(() =>
        this.#handleInput({ kind: "tick", at: performance.now() }),
      );
    else if (tick !== undefined)
      this.#timer = setTimeout(
        () => this.#handleInput({ kind: "tick", at: tick }),
        tick - performance.now(),
      );
  }

  #applyDecision(decision: Decision): void {
    switch (decision.what) {
      case "tap":
        this.#suppressesMouse = false;
        return this.selection.clear();
      case "double tap":
        // Programs with mouse support handle double clicks themselves.
        this.#suppressesMouse = !this.#usesMouse();
        return this.#suppressesMouse ? this.selection.begin(decision, true) : undefined;
      case "hold":
        return this.selection.begin(decision, false);
      case "drag":
        return this.selection.extend(decision);
      case "drop":
        return this.selection.settle();
      case "swipe":
        return this.#swipe(decision, decision.by);
      case "pinch":
        return this.#pinch(decision, decision.by);
      default:
        return decision satisfies never;
    }
  }

  /** Pans a screen that is larger than its element first; the rest of the distance scrolls the lines. */
  #swipe({ x, y }: Point, by: Point): void {
    const host = this.#host;
    let down = by.y;
    if (this.#deps.isForeign()) {
      const before = host.scrollTop;
      host.scrollLeft -= by.x;
      host.scrollTop -= by.y;
      down -= before - host.scrollTop;
    }
    const { grid } = this.selection;
    const height = grid.lineHeight;
    this.#scrollRemainder -= down;
    const lines = Math.trunc(this.#scrollRemainder / height);
    this.#scrollRemainder -= lines * height;
    if (lines === 0) return;
    if (!this.#isScrolledByProgram()) return this.#term.scrollLines(lines);
    // xterm turns wheel events into mouse reports or arrow keys.
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

  /** Zooms around the middle between the fingers. */
  #pinch({ x, y }: Point, by: number): void {
    const host = this.#host;
    const before = this.#deps.font();
    const isForeign = this.#deps.isForeign();
    this.#pinchFont = (this.#pinchFont ?? before) * by;
    // Our own font changes the terminal's size, so it changes in whole px only.
    const step = isForeign ? 0.5 : 1;
    const change = Math.trunc((this.#pinchFont - before) / step) * step;
    if (change === 0) return;
    this.#deps.zoom(change);
    if (!isForeign) return;
    const grown = this.#deps.font() / before;
    const { left, top } = host.getBoundingClientRect();
    host.scrollLeft = (host.scrollLeft + x - left) * grown - (x - left);
    host.scrollTop = (host.scrollTop + y - top) * grown - (y - top);
  }

  #usesMouse(): boolean {
    return this.#term.modes.mouseTrackingMode !== "none";
  }

  #isScrolledByProgram(): boolean {
    return this.#usesMouse() || this.#term.buffer.active.type === "alternate";
  }

  /** Whether swipes coast. Not in programs: events already sent cannot be stopped by a touch. */
  #coasts(): boolean {
    return !this.#isScrolledByProgram() && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  #onEmulatedMouse(event: Event): void {
    if (!this.#suppressesMouse) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
