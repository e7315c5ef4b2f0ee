// Owns one terminal's place on the page: the panel, loaded when first shown, and what is below it.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Tab } from "../session/tabs.ts";
import { takesInput } from "../session/tabs.ts";
import { requestClose } from "../ui/actions.ts";
import { useSession } from "../ui/context.ts";
import { panelId, tabId, toneOf } from "../ui/tabs.tsx";
import { DriverStrip } from "./driver-strip.tsx";
import { KeyBar } from "./key-bar.tsx";
import type { TerminalPanel } from "./panel.ts";
import { prepareRenderer } from "./renderer.ts";
import { endingOf } from "./title.ts";

let loaded: typeof TerminalPanel | undefined;

/** xterm is most of the page's weight and is not needed to paint the rest. */
export async function loadPanel(): Promise<typeof TerminalPanel> {
  const [{ TerminalPanel }] = await Promise.all([import("./panel.ts"), prepareRenderer()]);
  loaded = TerminalPanel;
  return TerminalPanel;
}

export function TerminalView({ tab }: { tab: Tab }) {
  const session = useSession();
  const { store } = session;
  const { id } = tab.terminal;
  const active = store.active.value === id;
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
        made = new Panel(id, session, host.current);
        setPanel(made);
      } catch {
        store.toast("A part of the page could not be loaded. Reload it, please.");
      }
    };
    void make();
    return () => {
      wanted = false;
      made?.dispose();
    };
  }, [id, session]);

  const focus = store.focusTerminal.value;
  // At once, or the first letters typed after a switch would go elsewhere.
  useLayoutEffect(() => {
    // On a phone the focus brings up the keyboard: not for merely coming by.
    if (focus === 0 && matchMedia("(pointer: coarse)").matches) return;
    if (active && !store.dialog.peek()) panel?.focus();
  }, [focus, panel]);
  // A browser takes the focus from what is inert only with its next frame.
  useLayoutEffect(() => {
    const focused = document.activeElement;
    if (!active && focused instanceof HTMLElement && host.current?.contains(focused)) {
      focused.blur();
    }
  }, [active]);
  // Also when it goes out of view: then it has no say in the size.
  useEffect(() => panel?.refit(), [active, focus, panel]);

  return (
    <section
      class="panel"
      role="tabpanel"
      id={panelId(id)}
      aria-labelledby={tabId(id)}
      data-active={active}
      inert={!active}
    >
      <div class="screen">
        <div class="host" ref={host} data-foreign={panel?.layoutSize.value?.foreign} />
      </div>
      {panel && takesInput(tab) && store.mayEdit.value && <KeyBar panel={panel} />}
      {tab.ended ? <EndStrip tab={tab} /> : <DriverStrip tab={tab} panel={panel} />}
    </section>
  );
}

function EndStrip({ tab }: { tab: Tab }) {
  const session = useSession();
  return (
    <div class={`strip ${toneOf(tab)}`}>
      <p>
        <strong>{tab.ended && endingOf(tab.ended)}</strong>
      </p>
      <button type="button" class="quiet" onClick={() => requestClose(session, tab.terminal.id)}>
        Dismiss
      </button>
    </div>
  );
}
