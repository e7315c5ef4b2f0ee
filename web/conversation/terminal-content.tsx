// Owns a terminal inside a tool call: live while it is in sight, readable afterwards, and movable
// to its own tab. Also owns whether an element is in sight, or about to be. And turning terminal
// output into plain text where no emulator draws it.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState, useEffect } from "preact/hooks";
import type { ToolContent } from "../../protocol/conversation.ts";
import { useSession } from "../context.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import { formatTerminalEnd } from "../session/terminal-names.ts";
import { showInvisible } from "../session/visible-text.ts";
import type { EmbeddedScreen } from "../terminal/embedded-screen.ts";
import { CopyButton } from "./prose.tsx";

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

/** Delay that skips elements which are only scrolled past. */
const SETTLE_MS = 150;

/** Distance at which loading starts, before the element is visible. */
const MARGIN = "240px";

function useInSight(place: RefObject<HTMLElement | null>): boolean {
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const root = element.closest(".talk-feed");
    const observer = new IntersectionObserver(
      (entries) => {
        const isNow = entries.at(-1)?.isIntersecting === true;
        clearTimeout(timer);
        timer = setTimeout(() => setInSight(isNow), SETTLE_MS);
      },
      { root, rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, []);
  return isInSight;
}

/** CSI, OSC and other strings with their terminators, and two-character escapes. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g;

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

export function stripSequences(text: string): string {
  return text
    .replaceAll(SEQUENCES, "")
    .replaceAll("\r\n", "\n")
    .replaceAll(/^.*\r(?=.)/gm, "")
    .replaceAll(CONTROLS, "");
}
