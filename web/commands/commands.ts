// Owns the registry of the page's commands: those of every view and those of each kind.

import type { Acting } from "../session/session.ts";
import type { Command, Scope } from "./command.ts";
import { aimOf, perform } from "./command.ts";
import { FRAME_COMMANDS } from "./frame.ts";
import type { Pressed } from "./keys.ts";
import { digitOf, isPressed } from "./keys.ts";

export class Commands {
  readonly all: readonly Command[];
  readonly #given: () => readonly string[];

  /** `given`: commands whose keys their person gave to the shell. */
  constructor(ofKinds: readonly Command[], given: () => readonly string[] = () => []) {
    this.#given = given;
    this.all = [...ofKinds, ...FRAME_COMMANDS];
    const taken = new Set<string>();
    for (const { id, keys, scope = "page" } of this.all) {
      for (const name of [id, `${scope} ${keys}`]) {
        if (taken.has(name)) throw new Error(`two commands of one name or key: ${name}`);
        taken.add(name);
      }
    }
  }

  of(wanted: Scope): readonly Command[] {
    return this.all.filter(({ scope = "page" }) => scope === wanted);
  }

  /** The command whose keys these are. Every other key belongs to the view. */
  pressed(event: Pressed, scope: Scope = "page"): Command | undefined {
    const found = this.of(scope).find(
      ({ keys, run }) => run !== undefined && isPressed(keys, event),
    );
    return found && this.#given().includes(found.id) ? undefined : found;
  }

  /** Whether the page takes these keys from a terminal: one that would do nothing leaves them. */
  takes(event: Pressed, session: Acting): boolean {
    const command = this.pressed(event);
    return command !== undefined && command.isEnabled?.(aimOf(session)) !== false;
  }

  /** Does what the keys say, if they say anything; the browser then does nothing of its own. */
  onKeyDown(event: KeyboardEvent, session: Acting, scope: Scope = "page"): void {
    const command = this.pressed(event, scope);
    if (!command || session.store.dialog.peek()) return;
    event.preventDefault();
    // A key that is held down opens one terminal, not a row of them.
    if (event.repeat && command.onBusy) return;
    perform(command, aimOf(session, undefined, digitOf(event)));
  }
}
