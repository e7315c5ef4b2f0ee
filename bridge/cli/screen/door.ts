// Owns the key w of the first screen: shows who is waiting, and admits or turns them away.

import { calledBy } from "../../../protocol/names.ts";
import { controlCaller } from "../../doors/control/caller.ts";
import type { Hosting } from "../../people/hosting.ts";
import type { Visitors } from "../../people/visitors.ts";
import { colors, say, tell } from "../output/output.ts";
import { plain } from "../output/plain.ts";
import type { HotkeyActions } from "./hotkeys.ts";

interface AdmissionRoom {
  readonly visitors: Pick<Visitors, "knocks">;
  readonly hosting: Pick<Hosting, "admit" | "turnAway">;
}

export interface Doorkeeping {
  readonly room: AdmissionRoom;
}

export function doorActions({ room }: Doorkeeping): Pick<HotkeyActions, "askDoor" | "answerDoor"> {
  // Only the host can press keys in this window.
  const host = controlCaller(() => {});
  return {
    askDoor: () => {
      const [first, ...behind] = room.visitors.knocks();
      if (first === undefined) {
        say(colors.dim("  No one is waiting."));
        return undefined;
      }
      const called = plain(calledBy(first.name, first.label)).replaceAll("\n", " ");
      const may = first.role === "edit" ? "would get a shell as you" : "would watch only";
      const more = behind.length === 0 ? "" : `; ${behind.length} more waiting`;
      tell(
        `\n  ${called} is waiting and ${may}${more}: y = let in, n = turn away, any other key = keep waiting`,
      );
      return first.id;
    },
    answerDoor: (who, answer) => {
      if (answer === "wait") return say(colors.dim("  Still waiting."));
      const { hosting } = room;
      const done = answer === "let in" ? hosting.admit(host, who) : hosting.turnAway(host, who);
      if (!done.ok) return say(`  ${done.error}`);
      const words = answer === "let in" ? "is in." : "was turned away.";
      return say(colors.dim(`  ${plain(done.called).replaceAll("\n", " ")} ${words}`));
    },
  };
}
