// Owns a terminal inside a tool call: live while it is in sight, readable afterwards, and movable
// to its own tab.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ToolContent } from "../../protocol/conversation.ts";
import { useSession } from "../context.ts";
import { showInvisible } from "../session/visible-text.ts";
import { formatTerminalEnd } from "../session/terminal-names.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import type { EmbeddedScreen } from "../terminal/embedded-screen.ts";
import { CopyButton } from "./copy-button.tsx";
import { useInSight } from "./in-sight.ts";
import { stripSequences } from "./plain-output.ts";

interface TerminalContentProps {
  content: Extract<ToolContent, { type: "terminal" }>;
  title: string;
}

export function TerminalContent({ content, title }: TerminalContentProps) {
  const { store } = useSession();
  const { terminal: id, text } = content;
  const known = store.findTerminal(id);
  const isTab = store.tabs.value.has(id);
  const place = useRef<HTMLDivElement>(null);
  const isInSight = useInSight(place);
  const screen = useRef<EmbeddedScreen | undefined>(undefined);
  const ended = content.exit ?? (known?.ended && formatTerminalEnd(known.ended));
  const whole = text === undefined ? undefined : stripSequences(text);
  return (
    <div class="embed" ref={place}>
      {isTab && <p class="embed-note">Open in its own tab.</p>}
      {!isTab && whole !== undefined && (
        <pre
          class="embed-text"
          role="group"
          aria-label={`Output of ${showInvisible(title)}`}
          tabIndex={0}
        >
          {whole}
        </pre>
      )}
      {!isTab && whole === undefined && (
        <Live id={id} title={title} isInSight={isInSight} screen={screen} />
      )}
      <div class="embed-foot">
        <span class="embed-state" data-ended={ended !== undefined}>
          {ended ?? (known ? "running" : "")}
        </span>
        {!isTab && (
          <CopyButton what="output" text={() => whole ?? screen.current?.getText() ?? ""} />
        )}
        {known && (
          <button
            type="button"
            class="small-button"
            onClick={() => (isTab ? store.views.enter(toTerminalView(id)) : store.setTab(id, true))}
          >
            {isTab ? "Go to the tab" : "Open as a tab"}
          </button>
        )}
      </div>
    </div>
  );
}

interface LiveProps {
  id: string;
  title: string;
  isInSight: boolean;
  screen: { current: EmbeddedScreen | undefined };
}

/** Shows the live terminal; out of sight it detaches but keeps its space. */
function Live({ id, title, isInSight, screen }: LiveProps) {
  const session = useSession();
  const host = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  useLayoutEffect(() => {
    if (!isInSight) return undefined;
    let isWanted = true;
    const show = async (): Promise<void> => {
      try {
        const { EmbeddedScreen: Screen } = await import("../terminal/embedded-screen.ts");
        if (!isWanted || !host.current) return;
        screen.current = new Screen(id, session, host.current, () => setMissing(true));
      } catch {
        session.store.toast("Part of the page did not load. Reload the page.");
      }
    };
    void show();
    return () => {
      isWanted = false;
      screen.current?.dispose();
      screen.current = undefined;
    };
  }, [id, session, isInSight]);
  return (
    <>
      {isMissing && <p class="embed-note">The host no longer has its output.</p>}
      <div
        ref={host}
        class="embed-host"
        role="group"
        aria-label={`Terminal: ${showInvisible(title)}`}
        hidden={isMissing}
      />
    </>
  );
}
