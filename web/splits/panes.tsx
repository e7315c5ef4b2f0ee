// Owns drawing splits: a pane's head, the dividers, and the target of a dragged tab. The frame owns the
// panes themselves, so that a moved pane keeps its element and its terminal.

import { useState } from "preact/hooks";
import { CommandButton } from "../commands/command-button.tsx";
import { useSession } from "../context.ts";
import type { View } from "../views/view.ts";
import { TAKE_OUT } from "./split-commands.ts";
import type { Side } from "./layout.ts";
import type { Box, Divider } from "./pane-geometry.ts";
import { getHalf, listPanes, getNearestSide } from "./pane-geometry.ts";
import { getDragProps } from "./view-drag.ts";
import type { Splits } from "./splits.ts";
import "./splits.css";

const STEP = 0.05;
const STAGE: Box = { left: 0, top: 0, width: 1, height: 1 };

/** Draws a pane's title, by which it can be dragged; on narrow pages, a switcher between the panes. */
export function PaneHead({ view, splits }: { view: View; splits: Splits }) {
  const { store } = useSession();
  const { views } = store;
  const key = views.key(view);
  if (!splits.findLayout(key)) return null;
  if (splits.isNarrow.value) return <Switcher keys={splits.getGroup(key)} />;
  const summary = store.getSummary(view);
  return (
    <header class="pane-head" {...getDragProps(store, key)} onClick={() => views.enter(view)}>
      <span class="pane-name" title={[summary.name, ...summary.details].join("\n")}>
        {summary.name}
      </span>
      <CommandButton
        command={TAKE_OUT}
        view={view}
        class="pane-out"
        label={`Take ${summary.name} out of the split`}
      >
        ×
      </CommandButton>
    </header>
  );
}

function Switcher({ keys }: { keys: readonly string[] }) {
  const { store } = useSession();
  const { views } = store;
  return (
    <div class="pane-switcher" role="group" aria-label="Panes of this split">
      {keys.map((key) => {
        const view = views.find(key);
        return (
          view && (
            <button
              key={key}
              type="button"
              aria-pressed={views.isActive(view)}
              onClick={() => views.enter(view)}
            >
              {store.getSummary(view).name}
            </button>
          )
        );
      })}
    </div>
  );
}

export function Dividers({ splits }: { splits: Splits }) {
  return (
    <>
      {splits.dividers.map((line) => (
        <DividerHandle key={[...line.path, line.index].join(".")} line={line} splits={splits} />
      ))}
    </>
  );
}

function DividerHandle({ line, splits }: { line: Divider; splits: Splits }) {
  const { isVertical, bounds, first } = line;
  const [isDragged, setDragged] = useState(false);
  const at = isVertical
    ? { left: bounds.left + first * bounds.width, top: bounds.top, height: bounds.height }
    : { left: bounds.left, top: bounds.top + first * bounds.height, width: bounds.width };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = {
      [isVertical ? "ArrowLeft" : "ArrowUp"]: -STEP,
      [isVertical ? "ArrowRight" : "ArrowDown"]: STEP,
    }[event.key];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    splits.moveDivider(line, first + by);
  };
  return (
    <div
      class={`split-line${isVertical ? " upright" : ""}`}
      role="separator"
      tabIndex={0}
      aria-orientation={isVertical ? "vertical" : "horizontal"}
      aria-label={isVertical ? "Pane width" : "Pane height"}
      aria-valuenow={Math.round(first * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
      data-dragged={isDragged}
      style={toPercent(at)}
      onKeyDown={onKeyDown}
      onDblClick={() => splits.moveDivider(line, 0.5)}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged(true);
      }}
      onPointerMove={(event) => {
        if (!isDragged) return;
        const { x, y } = toRelativePoint(event.currentTarget.parentElement, event);
        splits.moveDivider(
          line,
          isVertical ? (x - bounds.left) / bounds.width : (y - bounds.top) / bounds.height,
        );
      }}
      onPointerUp={() => setDragged(false)}
      onPointerCancel={() => setDragged(false)}
    />
  );
}

/** Covers the stage while a tab is dragged and shows where it would go. */
export function DropZone({ splits, dragged }: { splits: Splits; dragged: string }) {
  const { store } = useSession();
  const { views } = store;
  const [dropTarget, setDropTarget] = useState<{ target: string; side: Side; box: Box }>();
  const current = views.current.value;
  if (!current || splits.isNarrow.value) return null;
  const key = views.key(current);
  const layout = splits.findLayout(key);
  const panes = layout ? listPanes(layout) : [{ ...STAGE, view: key }];
  const onDragOver = (event: DragEvent & { currentTarget: Element }): void => {
    const at = toRelativePoint(event.currentTarget, event);
    const pane = panes.find(({ left, top, width, height }) => {
      return at.x >= left && at.x <= left + width && at.y >= top && at.y <= top + height;
    });
    // A pane cannot be dropped on itself.
    if (!pane || pane.view === dragged) return setDropTarget(undefined);
    event.preventDefault();
    const side = getNearestSide(pane, at);
    return setDropTarget({ target: pane.view, side, box: getHalf(pane, side) });
  };
  return (
    <div
      class="drop-zone"
      onDragOver={onDragOver}
      onDragLeave={() => setDropTarget(undefined)}
      onDrop={(event) => {
        event.preventDefault();
        store.dragged.value = undefined;
        const view = views.find(dragged);
        if (dropTarget && view && splits.place(dragged, dropTarget.target, dropTarget.side))
          views.enter(view);
      }}
    >
      {dropTarget && <div class="drop-aim" style={toPercent(dropTarget.box)} />}
    </div>
  );
}

function toRelativePoint(
  element: Element | null,
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
): { x: number; y: number } {
  const { left = 0, top = 0, width = 1, height = 1 } = element?.getBoundingClientRect() ?? {};
  return { x: (clientX - left) / width, y: (clientY - top) / height };
}

function toPercent(box: Partial<Box>): Record<string, string> {
  return Object.fromEntries(Object.entries(box).map(([name, part]) => [name, `${part * 100}%`]));
}
