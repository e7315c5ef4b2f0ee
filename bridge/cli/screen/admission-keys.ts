// Owns the key w of the first screen: shows who is waiting, and admits or turns them away.

import { displayName } from "../../../protocol/names.ts";
import { createControlCaller } from "../../doors/control/control-caller.ts";
import type { Moderation } from "../../people/moderation.ts";
import type { PresenceTracker } from "../../people/presence-tracker.ts";
import { colors, printNote, printWrapped } from "../output/output.ts";
import { escapeUnsafe } from "../output/escape-unsafe.ts";
import type { HotkeyActions } from "./hotkeys.ts";

interface AdmissionRoom {
  readonly visitors: Pick<PresenceTracker, "listKnocks">;
  readonly moderation: Pick<Moderation, "admit" | "turnAway">;
}

export interface AdmissionDeps {
  readonly room: AdmissionRoom;
}

export function createAdmissionActions({
  room,
}: AdmissionDeps): Pick<HotkeyActions, "askAdmission" | "answerAdmission"> {
  // Only the host can press keys in this window.
  const host = createControlCaller(() => {});
  return {
    askAdmission: () => {
      const [first, ...behind] = room.visitors.listKnocks();
      if (first === undefined) {
        printNote(colors.dim("  No one is waiting."));
        return undefined;
      }
      const called = escapeUnsafe(displayName(first.name, first.label)).replaceAll("\n", " ");
      const consequence = first.role === "edit" ? "would get a shell as you" : "would watch only";
      const more = behind.length === 0 ? "" : `; ${behind.length} more waiting`;
      printWrapped(
        `\n  ${called} is waiting and ${consequence}${more}: y = let in, n = turn away, any other key = keep waiting`,
      );
      return first.id;
    },
    answerAdmission: (who, answer) => {
      if (answer === "wait") return printNote(colors.dim("  Still waiting."));
      const { moderation } = room;
      const done =
        answer === "let in" ? moderation.admit(host, who) : moderation.turnAway(host, who);
      if (!done.ok) return printNote(`  ${done.error}`);
      const outcome = answer === "let in" ? "is in." : "was turned away.";
      return printNote(
        colors.dim(`  ${escapeUnsafe(done.personName).replaceAll("\n", " ")} ${outcome}`),
      );
    },
  };
}
