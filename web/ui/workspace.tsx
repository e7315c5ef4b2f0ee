// Owns the page of a workspace: bar, views, toasts and dialogs. Also owns drawing toasts, the short
// messages in the corner. And the page of a workspace without terminals.

import { effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { listOpenQuestions } from "../approvals/approval-commands.ts";
import { Questions } from "../approvals/questions.tsx";
import { CommandButton, Keys } from "../commands/command-button.tsx";
import { SHOW_SHORTCUTS } from "../commands/frame-commands.ts";
import { useSession, useVisit } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";
import { startFollowing } from "../people/commands.ts";
import { Knocks } from "../people/knocks.tsx";
import type { PeopleById } from "../session/people.ts";
import type { Store } from "../session/store.ts";
import type { Box } from "../splits/pane-geometry.ts";
import { loadSplits } from "../splits/split-commands.ts";
import type { View } from "../views/view.ts";
import { toPanelId, toTabId } from "../views/view.ts";
import {
  Brand,
  ConnectionNotice,
  HeaderControls,
  loadAwayTexts,
  MessageText,
  Logo,
} from "./header.tsx";
import { TabBar } from "./tab-bar.tsx";

const loadDialogs = async () => (await import("./dialogs.tsx")).Dialogs;
const Dialogs = lazyComponent(loadDialogs);
const NameCard = lazyComponent(async () => (await import("../people/name-form.tsx")).NameCard);

/** Delays loading the rest until the first keystrokes at the prompt are over. */
const PRELOAD_DELAY_MS = 1_000;

/** `isBehind`: hidden while the visitor waits to be let in; its content stays mounted. */
export function Workspace({ isBehind }: { isBehind: boolean }) {
  const { session, commands } = useVisit();
  const { store } = session;
  const views = store.views.all.value;
  const current = store.views.current.value;
  const splits = store.splits.value;
  const dragged = store.dragged.value;

  useEffect(() => {
    if (isBehind) return undefined;
    const onKeyDown = (event: KeyboardEvent): void => commands.onKeyDown(event, session);
    globalThis.addEventListener("keydown", onKeyDown);
    return () => globalThis.removeEventListener("keydown", onKeyDown);
  }, [session, commands, isBehind]);

  useEffect(() => startFollowing(store), [store]);
  useEffect(keepPageAboveKeyboard, []);
  useEffect(() => startWhenLoaded(async () => await loadArrivals(store)), [store]);

  useEffect(() => {
    if (dragged !== undefined) void loadSplits(store);
  }, [dragged]);
  const isPrompted = store.hasPrompted.value;
  // Preloads the dialogs: the network may be gone when one is needed.
  useEffect(() => {
    if (!isPrompted) return undefined;
    // A failure is ignored here: showing a dialog loads them again and reports it.
    const timer = setTimeout(() => {
      void loadDialogs().catch(() => undefined);
      loadAwayTexts();
      // Absent without a secure context. If registration fails, the page uses the network.
      void navigator.serviceWorker?.register("/sw.js").catch(() => undefined);
    }, PRELOAD_DELAY_MS);
    return () => clearTimeout(timer);
  }, [isPrompted]);

  const name = current && store.getSummary(current).name;
  const place = store.workspaceName.value;
  const questions = listOpenQuestions(store).length;
  // A layout effect: useEffect would wait for a frame, which a hidden page does not get.
  useLayoutEffect(() => {
    const title = [name, place, "pairpty"].filter(Boolean).join(" · ");
    document.title = questions > 0 ? `(${questions}) ${title}` : title;
  }, [name, place, questions]);

  return (
    <div class="app" hidden={isBehind}>
      {current && (
        <button type="button" class="skip primary" onClick={() => store.views.enter(current)}>
          Go to {store.getSummary(current).name}
        </button>
      )}
      <header class="bar">
        <Brand />
        <TabBar />
        <HeaderControls />
      </header>
      {store.people.you.value && session.self.savedName === undefined && <NameCard />}
      <main class="stage">
        {views?.map(
          (view) => store.views.isOpened(view) && <Pane key={store.views.key(view)} view={view} />,
        )}
        {splits && <splits.components.Lines splits={splits} />}
        {splits && dragged !== undefined && (
          <splits.components.DropZone splits={splits} dragged={dragged} />
        )}
        {views?.length === 0 && <EmptyPage />}
        {views === undefined && <p class="waiting">{formatWaiting(store)}</p>}
      </main>
      <ConnectionNotice isOver />
      <aside class="corner" aria-label="Notices">
        {Object.entries(store.kinds).map(
          ([kind, { Notices }]) => Notices && <Notices key={kind} />,
        )}
        <Knocks />
        <Toasts />
        <ConnectionNotice isOver={false} />
        <Questions />
      </aside>
      {store.dialog.value && !isBehind && <Dialogs />}
    </div>
  );
}

/** Returns what a page without content is waiting for. */
function formatWaiting({ connection, bridge }: Store): string {
  if (bridge.value.how === "ended") return "This session has ended.";
  const isHostAway = connection.value.state === "live" && bridge.value.state === "away";
  return isHostAway ? "Waiting for the host…" : "Connecting to the room…";
}

/** Keeps the page above an on-screen keyboard; a failure to load this is ignored. */
function keepPageAboveKeyboard(): (() => void) | undefined {
  const { visualViewport } = globalThis;
  if (!visualViewport || !matchMedia("(pointer: coarse)").matches) return undefined;
  const loading = import("./visible-area.ts").then(
    ({ trackVisibleArea }) => trackVisibleArea(visualViewport, document.documentElement),
    () => undefined,
  );
  return () => void loading.then((end) => end?.());
}

/** Starts what `load` loads; the returned function stops it, also before loading is done. */
function startWhenLoaded(load: () => Promise<() => void>): () => void {
  let isOver = false;
  let end = (): void => {
    isOver = true;
  };
  const start = async (): Promise<void> => {
    const stop = await load();
    if (isOver) stop();
    else end = stop;
  };
  // A failure to load is ignored.
  void start().catch(() => undefined);
  return () => end();
}

/** Loads the announcements late; people who arrive meanwhile are announced then. */
async function loadArrivals(store: Store): Promise<() => void> {
  const { people } = store;
  let before: PeopleById | undefined;
  const unwatch = effect(() => {
    before ??= people.all.value;
  });
  await new Promise((resolve) => setTimeout(resolve, PRELOAD_DELAY_MS));
  unwatch();
  const { announceArrivals } = await import("../people/arrivals.ts");
  return announceArrivals({ people, before, toast: (text) => store.toast(text) });
}

/** Holds one view: stays mounted while hidden, and becomes active when it gets the focus. */
function Pane({ view }: { view: View }) {
  const { store } = useSession();
  const { Body } = store.getKind(view);
  const key = store.views.key(view);
  const active = store.views.isActive(view);
  const shown = store.views.isShown(view);
  const splits = store.splits.value;
  const box = splits?.findBox(key);
  const pane = useRef<HTMLElement>(null);
  // Browsers remove the focus from an inert element only with the next frame.
  useLayoutEffect(() => {
    const focused = document.activeElement;
    if (!active && focused instanceof HTMLElement && pane.current?.contains(focused))
      focused.blur();
  }, [active]);
  return (
    <section
      ref={pane}
      class="panel"
      role="tabpanel"
      id={toPanelId(key)}
      aria-labelledby={toTabId(key)}
      data-active={active}
      data-shown={shown}
      data-split={box !== undefined}
      style={box && toPercent(box)}
      inert={!shown}
      onFocusIn={() => {
        if (shown && !store.views.isActive(view)) store.views.activate(view);
      }}
    >
      {splits && <splits.components.PaneHead view={view} splits={splits} />}
      <Body view={view} active={active} />
    </section>
  );
}

function toPercent({ left, top, width, height }: Box): Record<string, string> {
  const percent = (part: number): string => `${part * 100}%`;
  return {
    left: percent(left),
    top: percent(top),
    width: percent(width),
    height: percent(height),
  };
}

function Toasts() {
  const { store } = useSession();
  useEffect(() => {
    const listening = new AbortController();
    const release = (): void => store.toasts.release();
    for (const event of ["keydown", "pointerdown"])
      globalThis.addEventListener(event, release, { capture: true, signal: listening.signal });
    return () => listening.abort();
  }, [store]);
  return (
    <div class="toasts messages" role="log" aria-live="polite" aria-label="Messages">
      {store.toasts.all.value.map(({ key, text }) => (
        <div key={key} class="toast">
          <p>
            <MessageText text={text} />
          </p>
          <button
            type="button"
            class="icon-button"
            aria-label="Dismiss message"
            onClick={() => store.toasts.dismiss(key)}
          >
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

function EmptyPage() {
  const { store } = useSession();
  const { open } = store.kinds.terminal;
  return (
    <div class="empty">
      <Logo />
      <h2>No terminals yet</h2>
      {store.mayEdit.value ? (
        <>
          <p>A terminal is a shell on the host’s machine. Everyone with a link sees it live.</p>
          <CommandButton command={open} class="primary">
            {open.title}
          </CommandButton>
          <p class="hint">
            <Keys of={open.keys} /> opens one too · <Keys of={SHOW_SHORTCUTS.keys} /> shows all
            shortcuts
          </p>
        </>
      ) : (
        <p>Terminals appear here as soon as someone opens one.</p>
      )}
    </div>
  );
}
