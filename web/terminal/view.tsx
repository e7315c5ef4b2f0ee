// Owns one terminal's place on the page: the panel, loaded when first shown, and what is below it.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CommandButton } from "../commands/command-button.tsx";
import { CLOSE } from "../commands/frame.ts";
import { hintsOf } from "../commands/command.ts";
import { useSession, useVisit } from "../context.ts";
import { reasonOf } from "../session/endings.ts";
import { endingOf } from "../session/names.ts";
import type { Ended, TerminalView } from "../session/terminals.ts";
import { endedOnes, takesKeys } from "../session/terminals.ts";
import { mayRestart } from "./actions.ts";
import { behindInWords } from "./behind.ts";
import { DISMISS_ENDED, RESTART } from "./commands.ts";
import { DriverStrip } from "./driver-strip.tsx";
import { toneOf } from "./face.ts";
import { KeyBar } from "./key-bar.tsx";
import { TerminalMenu } from "./menu.tsx";
import type { TerminalPanel } from "./panel.ts";
import { prepareRenderer } from "./renderer.ts";
import "./screen.css";
import { BOTTOM } from "./screen-commands.ts";

let loaded: typeof TerminalPanel | undefined;

/** xterm is most of the page's weight and is not needed to paint the rest. */
export async function loadPanel(): Promise<typeof TerminalPanel> {
  const [{ TerminalPanel }] = await Promise.all([import("./panel.ts"), prepareRenderer()]);
  loaded = TerminalPanel;
  return TerminalPanel;
}

export function TerminalBody({ view, active }: { view: TerminalView; active: boolean }) {
  const { session, commands } = useVisit();
  const { store } = session;
  const id = view.terminalId;
  const known = store.terminal(id);
  const host = useRef<HTMLDivElement>(null);
  const [panel, setPanel] = useState<TerminalPanel>();

  // Without a frame in between where that can be: letters are typed right behind a switch.
  useLayoutEffect(() => {
    let wanted = true;
    let made: TerminalPanel | undefined;
    const make = async (): Promise<void> => {
      try {
        const Panel = loaded ?? (await loadPanel());
        if (!wanted || !host.current) return;
        made = new Panel(id, session, commands, host.current);
        setPanel(made);
      } catch {
        store.toast("Part of the page did not load. Reload the page.");
      }
    };
    void make();
    return () => {
      wanted = false;
      made?.dispose();
    };
  }, [id, session]);

  const focus = store.views.focus.value;
  // At once, or the first letters typed after a switch would go elsewhere.
  useLayoutEffect(() => {
    // On a phone the focus brings up the keyboard: not for merely coming by.
    if (focus === 0 && matchMedia("(pointer: coarse)").matches) return;
    if (active && !store.dialog.peek()) panel?.focus();
  }, [focus, panel]);
  // Also when it goes out of view: then it has no say in the size.
  useEffect(() => panel?.refit(), [active, focus, panel]);

  const finding = panel?.finding.value;
  const behind = panel?.behind.lines.value;
  return (
    <>
      <div class="screen">
        <div class="host" ref={host} data-foreign={panel?.layoutSize.value?.foreign} />
        {panel && behind !== undefined && (
          <button
            type="button"
            class="to-bottom"
            {...hintsOf(BOTTOM)}
            onClick={() => panel.toBottom()}
          >
            ↓ {behindInWords(behind)}
          </button>
        )}
        {panel && finding && (
          <finding.Bar finder={finding.finder} onLeave={() => panel.endFind()} />
        )}
      </div>
      {panel && takesKeys(known, store.you.value) && store.mayEdit.value && (
        <KeyBar panel={panel} />
      )}
      {known?.ended && <EndStrip view={view} ended={known.ended} />}
      {known && !known.ended && <DriverStrip known={known} panel={panel} />}
    </>
  );
}

function EndStrip({ view, ended }: { view: TerminalView; ended: Ended }) {
  const { store } = useSession();
  const reason = reasonOf(ended);
  const known = store.terminal(view.terminalId);
  const isAgain = store.mayEdit.value && mayRestart(known);
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
          <CommandButton command={DISMISS_ENDED} class="quiet">
            Dismiss all {count} ended
          </CommandButton>
        )}
      </div>
    </div>
  );
}
