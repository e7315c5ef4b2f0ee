// Owns the registry of the page's commands: those of all views and those of each kind.

import type { SessionActions } from "../session/session.ts";
import type { Command, Scope, KeyPress } from "./command.ts";
import { createContext, runCommand, getDigit, isPressed } from "./command.ts";
import { FRAME_COMMANDS } from "./frame-commands.ts";

export class Commands {
  readonly all: readonly Command[];
  readonly #shellCommands: () => readonly string[];

  /** Takes the kinds' commands; `given` returns ids of commands whose keys go to the shell. */
  constructor(ofKinds: readonly Command[], given: () => readonly string[] = () => []) {
    this.#shellCommands = given;
    this.all = [...ofKinds, ...FRAME_COMMANDS];
    const taken = new Set<string>();
    for (const { id, keys, scope = "page" } of this.all) {
      for (const name of [id, `${scope} ${keys}`]) {
        if (taken.has(name)) throw new Error(`two commands of one name or key: ${name}`);
        taken.add(name);
      }
    }
  }

  listByScope(wanted: Scope): readonly Command[] {
    return this.all.filter(({ scope = "page" }) => scope === wanted);
  }

  /** Returns the command for the pressed keys. All other keys belong to the view. */
  findPressed(event: KeyPress, scope: Scope = "page"): Command | undefined {
    const found = this.listByScope(scope).find(
      ({ keys, run }) => run !== undefined && isPressed(keys, event),
    );
    return found && this.#shellCommands().includes(found.id) ? undefined : found;
  }

  /** Whether the page takes these keys from a terminal: a disabled command leaves them. */
  handles(event: KeyPress, session: SessionActions): boolean {
    const command = this.findPressed(event);
    return command !== undefined && command.isEnabled?.(createContext(session)) !== false;
  }

  /** Runs the command for the keys, if there is one, and stops the browser's own handling. */
  onKeyDown(event: KeyboardEvent, session: SessionActions, scope: Scope = "page"): void {
    const command = this.findPressed(event, scope);
    if (!command || session.store.dialog.peek()) return;
    event.preventDefault();
    // Holding the key down must open one terminal, not many.
    if (event.repeat && command.onBusy) return;
    runCommand(command, createContext(session, undefined, getDigit(event)));
  }
}
