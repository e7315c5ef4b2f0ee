// Owns a button that runs a command: enabled when the command is, with its keys as tooltip and for
// screen readers. Also owns drawing keys as key caps.

import type { ComponentChildren } from "preact";
import { useSession } from "../context.ts";
import type { View } from "../views/view.ts";
import type { Command } from "./command.ts";
import { createContext, getHints, isAvailable, runCommand, toKeyCaps } from "./command.ts";

export interface CommandButtonProps {
  command: Command;
  class: string;
  /** What the command acts on; by default the current view. */
  view?: View;
  /** Replaces the command's own title, where that is too long. */
  title?: string;
  /** Accessible name, where the content is not text. */
  label?: string;
  children: ComponentChildren;
}

export function CommandButton(props: CommandButtonProps) {
  const { command, view, title, label, children } = props;
  const session = useSession();
  return (
    <button
      type="button"
      class={props.class}
      aria-label={label}
      {...getHints(command, title)}
      disabled={!isAvailable(command, createContext(session, view))}
      onClick={() => runCommand(command, createContext(session, view))}
    >
      {children}
    </button>
  );
}

export function Keys({ of }: { of: string }) {
  return (
    <span class="key-caps">
      {toKeyCaps(of).map((cap) => (
        <kbd key={cap}>{cap}</kbd>
      ))}
    </span>
  );
}
