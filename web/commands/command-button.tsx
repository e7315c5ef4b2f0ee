// Owns a button that does what a command does: enabled as it is, with its keys for the mouse and for
// screen readers.

import type { ComponentChildren } from "preact";
import { useSession } from "../context.ts";
import type { View } from "../views/view.ts";
import type { Command } from "./command.ts";
import { aimOf, hintsOf, isOn, perform } from "./command.ts";

export interface CommandButtonProps {
  command: Command;
  class: string;
  /** What it acts on; the view in use unless given. */
  view?: View;
  /** Where the command's own title says too much. */
  title?: string;
  /** Where its content is no text. */
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
      {...hintsOf(command, title)}
      disabled={!isOn(command, aimOf(session, view))}
      onClick={() => perform(command, aimOf(session, view))}
    >
      {children}
    </button>
  );
}
