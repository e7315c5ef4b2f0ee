// Owns one terminal's place on the page: the panel, loaded when first shown, and what is below it.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { hintsOf } from "../commands/command.ts";
import { useVisit } from "../context.ts";
import { lazily } from "../lazy.tsx";
import type { TerminalView } from "../session/terminals.ts";
import { takesKeys } from "../session/terminals.ts";
import { behindInWords } from "./behind.ts";
import { DriverStrip } from "./driver-strip.tsx";
import type { TerminalPanel } from "./panel.ts";
import { prepareRenderer } from "./renderer.ts";
import "./screen.css";
import { BOTTOM } from "./screen-commands.ts";

const EndStrip = lazily(
  async () => (await import("./end-strip.tsx")).EndStrip,
  () => <div class="strip" />,
);

/** Its place is there from the start, so that the terminal above it keeps its size. */
const KeyBar = lazily(
  async () => (await import("./key-bar.tsx")).KeyBar,
  () => <div class="key-bar" />,
);

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
  const isShown = store.views.isShown(view);
  // Also when it goes out of view: then it has no say in the size.
  useEffect(() => panel?.refit(), [isShown, active, focus, panel]);

  const finding = panel?.finding.value;
  const touching = panel?.touching.parts.value;
  const giving = panel?.giving.sending.value;
  const behind = panel?.behind.lines.value;
  const mayType = takesKeys(known, store.you.value) && store.mayEdit.value;
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
        {giving && <giving.Cards sending={giving.sending} />}
        {panel && finding && (
          <finding.Bar finder={finding.finder} onLeave={() => panel.endFind()} />
        )}
        {panel && touching && (
          <touching.Overlay
            selection={touching.input.selection}
            isPasting={touching.input.isPasting}
            onText={(text) => panel.pasteText(text)}
            onCopy={() => void panel.copySelection()}
            onPaste={mayType ? () => void panel.paste() : undefined}
          />
        )}
      </div>
      {panel && mayType && hasFingers() && <KeyBar panel={panel} />}
      {known?.ended && <EndStrip view={view} ended={known.ended} />}
      {known && !known.ended && <DriverStrip known={known} active={active} panel={panel} />}
    </>
  );
}

/** Whether a finger could be the pointer: the style sheet shows the keys only while it is. */
function hasFingers(): boolean {
  return matchMedia("(any-pointer: coarse)").matches;
}
