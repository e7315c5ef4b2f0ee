// Owns the strip below an ended terminal: how it ended, and buttons to restart or dismiss it.

import { CommandButton } from "../commands/command-button.tsx";
import { CLOSE } from "../commands/frame.ts";
import { useSession } from "../context.ts";
import { reasonOf } from "../session/endings.ts";
import { endingOf } from "../session/names.ts";
import type { Ended, TerminalView } from "../session/terminals.ts";
import { endedOnes } from "../session/terminals.ts";
import { mayRestart } from "./actions.ts";
import { DISMISS_ENDED, RESTART } from "./commands.ts";
import { toneOf } from "./face.ts";
import { TerminalMenu } from "./menu.tsx";

export function EndStrip({ view, ended }: { view: TerminalView; ended: Ended }) {
  const { store } = useSession();
  const reason = reasonOf(ended);
  const known = store.terminal(view.terminalId);
  const isAgain = store.mayEdit.value && store.whyOver.value === undefined && mayRestart(known);
  const again = `Start ${known?.terminal.command?.join(" ") ?? "a shell"} again in ${known?.terminal.cwd}`;
  const count = endedOnes(store.terminals.value ?? []).length;
  return (
    <div class={`strip ${toneOf(ended)}`}>
      <p>
        <strong>{endingOf(ended)}</strong>
        {reason !== undefined && <span class="reason">{reason}</span>}
      </p>
      <div class="strip-end">
        {isAgain && (
          <CommandButton command={RESTART} view={view} class="quiet" title={again}>
            Start again
          </CommandButton>
        )}
        <TerminalMenu view={view} />
        <CommandButton command={CLOSE} view={view} class="quiet" title="Dismiss this tab">
          Dismiss
        </CommandButton>
        {count > 1 && (
          <CommandButton command={DISMISS_ENDED} class="quiet dismiss-all">
            Dismiss all {count}
            <span class="if-wide"> ended</span>
          </CommandButton>
        )}
      </div>
    </div>
  );
}
