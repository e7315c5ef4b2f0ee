// Owns the menu of a terminal: its commands for the mouse and for touch. Also owns the position of
// a terminal's menu: at its pane's button, and fully visible.

import { useRef } from "preact/hooks";
import { Keys } from "../commands/command-button.tsx";
import type { Command } from "../commands/command.ts";
import { createContext, runCommand, getTitle } from "../commands/command.ts";
import { useSession } from "../context.ts";
import type { TerminalView } from "../session/terminal-list.ts";
import "./menu.css";
import { findPanel } from "./panel-registry.ts";
import { SEND_FILES, SCREEN_COMMANDS, FIND } from "./screen-commands.ts";
import {
  AGENTS_TYPE,
  TOGGLE_SIZE_LOCK,
  TOGGLE_PRIVATE,
  TOGGLE_RECORDING,
  RENAME_TERMINAL,
} from "./terminal-commands.ts";

const ROWS: readonly Command[] = [
  FIND,
  SEND_FILES,
  ...SCREEN_COMMANDS,
  RENAME_TERMINAL,
  TOGGLE_SIZE_LOCK,
  TOGGLE_PRIVATE,
  AGENTS_TYPE,
  TOGGLE_RECORDING,
];

export function TerminalMenu({ view }: { view: TerminalView }) {
  const session = useSession();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const id = `menu-${view.terminalId}`;
  const context = createContext(session, view);
  const rows = ROWS.filter((row) => row.isEnabled?.(context) !== false);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="quiet more"
        popovertarget={id}
        aria-label="More"
        title="More"
      >
        ⋯
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        popover="auto"
        role="menu"
        aria-label="More"
        // A hidden popover has no size; it has one in the next frame, before it is painted.
        onBeforeToggle={() =>
          requestAnimationFrame(() => positionMenu(menu.current, button.current))
        }
      >
        {rows.map((row) => (
          <button
            key={row.id}
            type="button"
            role="menuitem"
            aria-keyshortcuts={row.keys}
            onClick={() => {
              menu.current?.hidePopover();
              // On a phone the focus would open the keyboard.
              if (!matchMedia("(pointer: coarse)").matches) {
                session.store.views.enter(view);
                // Synchronously: a dialog that this row opens restores the focus to the terminal.
                findPanel(context)?.focus();
              }
              runCommand(row, context);
            }}
          >
            <span>{getTitle(row, context)}</span>
            <Keys of={row.keys} />
          </button>
        ))}
      </div>
    </>
  );
}

function positionMenu(menu: HTMLElement | null, button: HTMLElement | null): void {
  if (!menu || !button) return;
  const { left, top } = getMenuPosition(
    button.getBoundingClientRect(),
    menu.getBoundingClientRect(),
    document.documentElement.clientWidth,
  );
  menu.style.inset = `${top}px auto auto ${left}px`;
}

/** Distance from the menu to its button and to the page's edge, px. */
const GAP = 8;

/** Returns the menu's position: above the button, right-aligned; it may overlap the neighbouring pane. */
export function getMenuPosition(
  button: Readonly<Pick<DOMRect, "right" | "top">>,
  menu: Readonly<Pick<DOMRect, "width" | "height">>,
  pageWidth: number,
): { left: number; top: number } {
  const left = Math.min(button.right, pageWidth - GAP) - menu.width;
  return { left: Math.max(GAP, left), top: Math.max(GAP, button.top - GAP - menu.height) };
}
