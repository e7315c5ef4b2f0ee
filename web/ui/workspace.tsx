// Owns the page of a workspace: bar, views, toasts and dialogs.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { openOnes } from "../approvals/actions.ts";
import { Questions } from "../approvals/questions.tsx";
import { useSession, useVisit } from "../context.ts";
import { lazily } from "../lazy.tsx";
import { keepFollowing } from "../people/following.ts";
import { Knocks } from "../people/knocks.tsx";
import { NameCard } from "../people/name-form.tsx";
import type { Store } from "../session/store.ts";
import { splitsOf } from "../splits/load.ts";
import { panelId, tabId } from "../views/ids.ts";
import type { Box } from "../splits/places.ts";
import type { View } from "../views/view.ts";
import { Empty } from "./empty.tsx";
import { Brand, Notice, Side } from "./header.tsx";
import { TabBar } from "./tabs.tsx";
import { Toasts } from "./toasts.tsx";

const loadDialogs = async () => (await import("./dialogs.tsx")).Dialogs;
const Dialogs = lazily(loadDialogs);

/** Delays loading the rest until the first keystrokes at the prompt are over. */
const QUIET_MS = 1_000;

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

  useEffect(() => keepFollowing(store), [store]);
  useEffect(keepAboveKeyboard, []);
  useEffect(() => soon(async () => await announcing(store)), [store]);

  useEffect(() => {
    if (dragged !== undefined) void splitsOf(store);
  }, [dragged]);
  const isPrompted = store.prompted.value;
  // Preloads the dialogs: the network may be gone when one is needed.
  useEffect(() => {
    if (!isPrompted) return undefined;
    // A failure is ignored here: showing a dialog loads them again and reports it.
    const timer = setTimeout(() => {
      void loadDialogs().catch(() => undefined);
      // Absent without a secure context. If registration fails, the page uses the network.
      void navigator.serviceWorker?.register("/sw.js").catch(() => undefined);
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, [isPrompted]);

  const name = current && store.face(current).name;
  const place = store.place.value;
  const questions = openOnes(store).length;
  // A layout effect: useEffect would wait for a frame, which a hidden page does not get.
  useLayoutEffect(() => {
    const title = [name, place, "pairpty"].filter(Boolean).join(" · ");
    document.title = questions > 0 ? `(${questions}) ${title}` : title;
  }, [name, place, questions]);

  return (
    <div class="app" hidden={isBehind}>
      {current && (
        <button type="button" class="skip primary" onClick={() => store.views.enter(current)}>
          Go to {store.face(current).name}
        </button>
      )}
      <header class="bar">
        <Brand />
        <TabBar />
        <Side />
      </header>
      <NameCard />
      <main class="stage">
        {views?.map(
          (view) => store.views.isOpened(view) && <Pane key={store.views.key(view)} view={view} />,
        )}
        {splits && <splits.parts.Lines splits={splits} />}
        {splits && dragged !== undefined && (
          <splits.parts.DropZone splits={splits} dragged={dragged} />
        )}
        {views?.length === 0 && <Empty />}
        {views === undefined && <p class="waiting">{waitsFor(store)}</p>}
      </main>
      <Notice isOver />
      <aside class="corner" aria-label="Notices">
        {Object.entries(store.kinds).map(
          ([kind, { Notices }]) => Notices && <Notices key={kind} />,
        )}
        <Knocks />
        <Toasts />
        <Notice isOver={false} />
        <Questions />
      </aside>
      {store.dialog.value && !isBehind && <Dialogs />}
    </div>
  );
}

/** Returns what a page without content is waiting for. */
function waitsFor({ connection, bridge }: Store): string {
  if (bridge.value.how === "ended") return "This session has ended.";
  const isHostAway = connection.value.state === "live" && bridge.value.state === "away";
  return isHostAway ? "Waiting for the host…" : "Connecting to the room…";
}

/** Keeps the page above an on-screen keyboard; a failure to load this is ignored. */
function keepAboveKeyboard(): (() => void) | undefined {
  const { visualViewport } = globalThis;
  if (!visualViewport || !matchMedia("(pointer: coarse)").matches) return undefined;
  const loading = import("./seen.ts").then(
    ({ keepInSight }) => keepInSight(visualViewport, document.documentElement),
    () => undefined,
  );
  return () => void loading.then((end) => end?.());
}

/** Starts what `load` loads; the returned function stops it, also before loading is done. */
function soon(load: () => Promise<() => void>): () => void {
  let isOver = false;
  let end = (): void => {
    isOver = true;
  };
  const start = async (): Promise<void> => {
    const stop = await load();
    if (isOver) stop();
    else end = stop;
  };
  void start();
  return () => end();
}

async function announcing(store: Store): Promise<() => void> {
  const { announceArrivals } = await import("../people/arrivals.ts");
  return announceArrivals({ people: store.people, toast: (text) => store.toast(text) });
}

/** Holds one view: stays mounted while hidden, and becomes active when it gets the focus. */
function Pane({ view }: { view: View }) {
  const { store } = useSession();
  const { Body } = store.kindOf(view);
  const key = store.views.key(view);
  const active = store.views.isActive(view);
  const shown = store.views.isShown(view);
  const splits = store.splits.value;
  const box = splits?.boxOf(key);
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
      id={panelId(key)}
      aria-labelledby={tabId(key)}
      data-active={active}
      data-shown={shown}
      data-split={box !== undefined}
      style={box && inPercent(box)}
      inert={!shown}
      onFocusIn={() => {
        if (shown && !store.views.isActive(view)) store.views.activate(view);
      }}
    >
      {splits && <splits.parts.PaneHead view={view} splits={splits} />}
      <Body view={view} active={active} />
    </section>
  );
}

function inPercent({ left, top, width, height }: Box): Record<string, string> {
  const percent = (part: number): string => `${part * 100}%`;
  return {
    left: percent(left),
    top: percent(top),
    width: percent(width),
    height: percent(height),
  };
}
