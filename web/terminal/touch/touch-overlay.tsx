// Owns drawing a touch selection: its two handles and its toolbar. Loaded on devices with a touch
// screen. Also owns a field for pasting by hand, for browsers that block the clipboard: on pages
// without https, and until the user gives permission.

import type { Signal } from "@preact/signals";
import { useRef, useEffect } from "preact/hooks";
import type { FingerSelection } from "./finger-selection.ts";
import type { Point } from "./gestures.ts";
import "./touch.css";

export { SoftKeyboard } from "./soft-keyboard.ts";
export { TouchInput } from "./touch-input.ts";

export interface TouchOverlayProps {
  selection: FingerSelection;
  /** Whether to show the manual paste field, because the clipboard is blocked. */
  isPasting: Signal<boolean>;
  onCopy: () => void;
  /** Undefined for users who cannot type. */
  onPaste: (() => void) | undefined;
  /** Called with text from the manual paste field. */
  onText: (text: string) => void;
}

/** Toolbar dimensions, px; it is above the selection's first line if there is room, else below the last. */
const TOOLBAR = { height: 44, gap: 8, halfWidth: 124 };

export function TouchOverlay(props: TouchOverlayProps) {
  const { selection, isPasting, onCopy, onPaste, onText } = props;
  const layer = useRef<HTMLDivElement>(null);
  // Subscribes, to redraw when cells move.
  void selection.moves.value;
  const finger = selection.finger.value;
  const box = layer.current?.getBoundingClientRect();
  const range = finger && selection.grid.selected;
  const { lineHeight } = selection.grid;
  const local = ({ x, y }: Point): Point => ({ x: x - (box?.left ?? 0), y: y - (box?.top ?? 0) });
  const first = range ? local(selection.grid.getCorner(range.from)) : finger && local(finger);
  const last = range && local(selection.grid.getCorner(range.to));
  const toolbar = first && getToolbarPosition(first, last ?? first, lineHeight, box?.width ?? 0);
  return (
    <div ref={layer} class="touch-layer">
      {isPasting.value && <PasteField onText={onText} onLeave={() => (isPasting.value = false)} />}
      {range && first && last && (
        <>
          <Handle selection={selection} end="from" at={first} lineHeight={lineHeight} />
          <Handle selection={selection} end="to" at={last} lineHeight={lineHeight} />
        </>
      )}
      {finger?.isSettled && toolbar && (
        <div
          class="touch-bubble"
          role="toolbar"
          aria-label="Selection"
          style={{ left: `${toolbar.x}px`, top: `${toolbar.y}px` }}
          // Keeps the focus, so that the phone's keyboard neither opens nor closes.
          onPointerDown={(event) => event.preventDefault()}
        >
          {range && (
            <button type="button" onClick={onCopy}>
              Copy
            </button>
          )}
          {onPaste && (
            <button
              type="button"
              onClick={() => {
                selection.clear();
                onPaste();
              }}
            >
              Paste
            </button>
          )}
          <button type="button" onClick={() => selection.selectAll()}>
            Select all
          </button>
        </div>
      )}
    </div>
  );
}

interface HandleProps {
  selection: FingerSelection;
  end: "from" | "to";
  at: Point;
  lineHeight: number;
}

function Handle({ selection, end, at, lineHeight }: HandleProps) {
  /** Offset from the finger to the middle of the selected line. */
  const grip = useRef<Point>({ x: 0, y: 0 });
  return (
    <div
      class={`touch-handle ${end}`}
      aria-hidden="true"
      style={{ left: `${at.x}px`, top: `${at.y + lineHeight}px` }}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        const { left, top } = event.currentTarget.getBoundingClientRect();
        const anchor = Number.parseFloat(getComputedStyle(event.currentTarget).width) / 2;
        // The end handle is drawn after the last cell, so its target is slightly to the left.
        const inside = end === "to" ? -2 : 2;
        grip.current = {
          x: left + anchor + inside - event.clientX,
          y: top - lineHeight / 2 - event.clientY,
        };
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const { x, y } = grip.current;
        selection.drag(end, { x: event.clientX + x, y: event.clientY + y });
      }}
      onPointerUp={() => selection.settle()}
      onPointerCancel={() => selection.settle()}
    />
  );
}

function getToolbarPosition(first: Point, last: Point, lineHeight: number, width: number): Point {
  const above = first.y - TOOLBAR.height - TOOLBAR.gap;
  const middle = first.y === last.y ? (first.x + last.x) / 2 : width / 2;
  return {
    x: Math.max(TOOLBAR.halfWidth, Math.min(width - TOOLBAR.halfWidth, middle)),
    // Leaves room for the handles below the selection.
    y: above >= 0 ? above : last.y + lineHeight + TOOLBAR.height,
  };
}

export interface PasteFieldProps {
  onText: (text: string) => void;
  onLeave: () => void;
}

export function PasteField({ onText, onLeave }: PasteFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (text: string): void => {
    onLeave();
    onText(text);
  };
  return (
    <form
      class="touch-paste"
      aria-label="Paste"
      onSubmit={(event) => {
        event.preventDefault();
        submit(field.current?.value ?? "");
      }}
      onKeyDown={(event) => event.key === "Escape" && onLeave()}
    >
      <p id="paste-why">This browser blocked access to the clipboard. Long-press here and paste:</p>
      <textarea
        ref={field}
        rows={2}
        aria-label="Text to paste"
        aria-describedby="paste-why"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onPaste={(event) => {
          event.preventDefault();
          submit(event.clipboardData?.getData("text/plain") ?? "");
        }}
      />
      <div class="actions">
        <button type="button" class="quiet" onClick={onLeave}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Paste
        </button>
      </div>
    </form>
  );
}
