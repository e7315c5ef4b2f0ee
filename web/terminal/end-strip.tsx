// Owns the strip below an ended terminal: how it ended, and buttons to restart or dismiss it.

import { CommandButton } from "../commands/command-button.tsx";
import { CLOSE_VIEW } from "../commands/frame-commands.ts";
import { useSession } from "../context.ts";
import { explainExit } from "../session/exit-reasons.ts";
import { formatTerminalEnd } from "../session/terminal-names.ts";
import type { TerminalEnd, TerminalView } from "../session/terminal-list.ts";
import { listEnded } from "../session/terminal-list.ts";
import { canRestart } from "./terminal-actions.ts";
import { DISMISS_ENDED, RESTART_TERMINAL } from "./terminal-commands.ts";
import { getEndTone } from "./terminal-summary.ts";
import { TerminalMenu } from "./terminal-menu.tsx";

export function EndStrip({ view, ended }: { view: TerminalView; ended: TerminalEnd }) {
  const { store } = useSession();
  const reason = explainExit(ended);
  const known = store.findTerminal(view.terminalId);
  const isRestartable =
    store.mayEdit.value && store.overReason.value === undefined && canRestart(known);
  const restartTitle = `Start ${known?.terminal.command?.join(" ") ?? "a shell"} again in ${known?.terminal.cwd}`;
  const count = listEnded(store.terminals.value ?? []).length;
  return (
    <div class={`strip ${getEndTone(ended)}`}>
      <p>
        <strong>{formatTerminalEnd(ended)}</strong>
        {reason !== undefined && <span class="reason">{reason}</span>}
      </p>
      <div class="strip-end">
        {isRestartable && (
          <CommandButton command={RESTART_TERMINAL} view={view} class="quiet" title={restartTitle}>
            Start again
          </CommandButton>
        )}
        <TerminalMenu view={view} />
        <CommandButton command={CLOSE_VIEW} view={view} class="quiet" title="Dismiss this tab">
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
