// Owns the key w of the first screen: shows who is waiting, and admits or turns them away. Steps in
// to an agent's terminal from the first screen: `pairpty attach` uses the window until the person
// detaches; the bridge's own output waits.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { displayName } from "../../../protocol/names.ts";
import { builtFile } from "../../build-info.ts";
import { createControlCaller } from "../../doors/control/control-server.ts";
import type { Moderation } from "../../people/moderation.ts";
import type { PresenceTracker } from "../../people/presence-tracker.ts";
import { escapeUnsafe } from "../output/format-text.ts";
import { colors, printNote, printWrapped, queueOutput, printWarning } from "../output/output.ts";
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
      const called = escapeUnsafe(displayName(first)).replaceAll("\n", " ");
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

export async function stepInHere(number: string, folder: string): Promise<void> {
  const resumeOutput = queueOutput();
  try {
    const verb = ["attach", number, "--step-in", "--cwd", folder];
    const child = spawn(process.execPath, [builtFile("cli.js"), ...verb], { stdio: "inherit" });
    await once(child, "close");
  } catch {
    printWarning("could not open the terminal: `pairpty attach` did not start");
  } finally {
    resumeOutput();
  }
}
