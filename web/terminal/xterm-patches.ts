// Owns the patches of xterm 6 and its DOM renderer, where xterm's API does not allow them: the
// contrast of inverse text, the paint of selections, and the blinking of the cursor.

import type { Terminal, IDisposable } from "@xterm/xterm";

/** WCAG's ratio for text; `ls` prints blue on green. xterm requires half of it for dim text. */
export const MIN_CONTRAST = 4.5;

type ApplyContrast = (
  this: RowFactory,
  element: HTMLElement,
  behind: object,
  front: object,
  cell: { isInverse(): number },
  ...overrides: unknown[]
) => boolean;

interface RowFactory {
  _applyMinimumContrast: ApplyContrast;
  readonly _themeService: { readonly colors: { foreground: object; background: object } };
}

const patched = new WeakSet<object>();

/** Patches the DOM renderer for all terminals, before WebGL takes over; does nothing if xterm's internals changed. */
export function fixInverseContrast(term: Terminal): void {
  const prototype = findRowFactory(term);
  if (!isRowFactory(prototype) || patched.has(prototype)) return;
  patched.add(prototype);
  const apply = prototype._applyMinimumContrast;
  prototype._applyMinimumContrast = function (element, behind, front, cell, ...overrides) {
    const { foreground, background } = this._themeService.colors;
    const drawn = front === foreground && cell.isInverse() ? background : front;
    return apply.call(this, element, behind, drawn, cell, ...overrides);
  };
}

function isRowFactory(value: object | undefined): value is RowFactory {
  return value !== undefined && typeof Reflect.get(value, "_applyMinimumContrast") === "function";
}

const RENDERER_PATH = ["_core", "_renderService", "_renderer", "value"];

/** Returns the prototype of all row factories; undefined if xterm's internals changed. */
export function findRowFactory(term: Terminal): object | undefined {
  const factory = findInternals(term, "_rowFactory");
  const prototype: unknown = factory && Object.getPrototypeOf(factory);
  return isObject(prototype) ? prototype : undefined;
}

/** Returns a part of the DOM renderer by its name; undefined if xterm's internals changed. */
export function findInternals(term: Terminal, part: string): object | undefined {
  const found = [...RENDERER_PATH, part].reduce<unknown>(
    (within, name) => (isObject(within) ? Reflect.get(within, name) : undefined),
    term,
  );
  return isObject(found) ? found : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

interface SelectionService {
  readonly hasSelection: boolean;
  refresh: (isLinuxMouseSelection?: boolean) => void;
}

/** Repaints for the selection only if there is or was one; does nothing if xterm's internals changed. */
export function paintSelectionsOnly(term: Terminal): void {
  const core: unknown = Reflect.get(term, "_core");
  const service: unknown = isObject(core) ? Reflect.get(core, "_selectionService") : undefined;
  if (!isSelectionService(service)) return;
  const refresh = service.refresh.bind(service);
  let isPainted = false;
  service.refresh = (isLinuxMouseSelection) => {
    const isThere = service.hasSelection;
    if (!isThere && !isPainted) return;
    isPainted = isThere;
    refresh(isLinuxMouseSelection);
  };
}

function isSelectionService(value: unknown): value is SelectionService {
  return (
    isObject(value) &&
    typeof Reflect.get(value, "refresh") === "function" &&
    typeof Reflect.get(value, "hasSelection") === "boolean"
  );
}

// xterm's endless CSS animation makes the browser draw 60 frames a second, which costs battery and
// delays a typed letter by a frame. screen.css pauses that animation, and a timer here toggles the
// cursor instead.

/** Half of xterm's blink period of one second. */
const HALF_MS = 500;

type Host = Pick<
  HTMLElement,
  "addEventListener" | "removeEventListener" | "toggleAttribute" | "removeAttribute"
>;

export class CursorBlink implements IDisposable {
  readonly #host: Host;
  readonly #listeners: readonly IDisposable[];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(host: Host, term: Pick<Terminal, "onCursorMove">) {
    this.#host = host;
    host.addEventListener("focusin", this.#start);
    host.addEventListener("focusout", this.#stop);
    this.#listeners = [term.onCursorMove(() => this.#onCursorMove())];
  }

  dispose(): void {
    this.#stop();
    this.#host.removeEventListener("focusin", this.#start);
    this.#host.removeEventListener("focusout", this.#stop);
    for (const listener of this.#listeners) listener.dispose();
  }

  /** Restarts with the cursor visible, so that it can be seen while it moves. */
  #onCursorMove(): void {
    if (this.#timer === undefined) return;
    this.#start();
  }

  #start = (): void => {
    this.#stop();
    this.#timer = setInterval(() => this.#host.toggleAttribute("data-cursor-off"), HALF_MS);
  };

  /** Stops blinking: without the focus xterm draws a static outline. */
  #stop = (): void => {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#host.removeAttribute("data-cursor-off");
  };
}
