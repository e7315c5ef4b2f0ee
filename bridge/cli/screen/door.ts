// Owns the key w of the first screen: who waits at the door, and what the host says to that.

import { calledBy } from "../../../protocol/names.ts";
import { controlCaller } from "../../doors/control/caller.ts";
import type { Hosting } from "../../people/hosting.ts";
import type { Visitors } from "../../people/visitors.ts";
import { colors, say, tell } from "../output/output.ts";
import { plain } from "../output/plain.ts";
import type { HotkeyActions } from "./hotkeys.ts";

export interface Doorkeeping {
  readonly room: {
    readonly visitors: Pick<Visitors, "knocks">;
    readonly hosting: Pick<Hosting, "admit" | "turnAway">;
  };
}

export function doorActions({ room }: Doorkeeping): Pick<HotkeyActions, "askDoor" | "answerDoor"> {
  // Nobody but whoever sits here has these keys.
  const host = controlCaller(() => {});
  return {
    askDoor: () => {
      const [first, ...behind] = room.visitors.knocks();
      if (first === undefined) {
        say(colors.dim("  nobody is waiting at the door"));
        return undefined;
      }
      const called = plain(calledBy(first.name, first.label)).replaceAll("\n", " ");
      const may = first.role === "edit" ? "would have a shell as you" : "would watch";
      const more = behind.length === 0 ? "" : `; ${behind.length} more behind`;
      tell(
        `\n  ${called} is waiting and ${may}${more}: y lets them in, n turns them away; any other key leaves them waiting`,
      );
      return first.id;
    },
    answerDoor: (who, answer) => {
      if (answer === "wait") return say(colors.dim("  still waiting"));
      const { hosting } = room;
      const done = answer === "let in" ? hosting.admit(host, who) : hosting.turnAway(host, who);
      if (!done.ok) return say(`  ${done.error}`);
      const words = answer === "let in" ? "is in" : "was turned away";
      return say(colors.dim(`  ${plain(done.called).replaceAll("\n", " ")} ${words}`));
    },
  };
}
