// Owns the page of a workspace: bar, views, toasts and dialogs.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { openOnes } from "../approvals/actions.ts";
import { Questions } from "../approvals/questions.tsx";
import { useSession, useVisit } from "../context.ts";
import { keepFollowing } from "../people/following.ts";
import { Knocks } from "../people/knocks.tsx";
import { NameCard } from "../people/name-form.tsx";
import { panelId, tabId } from "../views/ids.ts";
import type { View } from "../views/view.ts";
import { Dialogs } from "./dialogs.tsx";
import { Empty } from "./empty.tsx";
import { Brand, Notice, Side } from "./header.tsx";
import { TabBar } from "./tabs.tsx";
import { Toasts } from "./toasts.tsx";

export function Workspace() {
  const { session, commands } = useVisit();
  const { store } = session;
  const views = store.views.all.value;
  const current = store.views.current.value;

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => commands.onKeyDown(event, session);
    globalThis.addEventListener("keydown", onKeyDown);
    return () => globalThis.removeEventListener("keydown", onKeyDown);
  }, [session, commands]);

  useEffect(() => keepFollowing(store), [store]);

  const name = current && store.face(current).name;
  const questions = openOnes(store).length;
  // Not with the next frame: a page out of sight has none.
  useLayoutEffect(() => {
    const title = [name, store.workspace, "pairpty"].filter(Boolean).join(" · ");
    document.title = questions > 0 ? `(${questions}) ${title}` : title;
  }, [name, questions]);

  return (
    <div class="app">
      <header class="bar">
        <Brand />
        <TabBar />
        <Side />
      </header>
      <main class="stage">
        {views?.map(
          (view) => store.views.isOpened(view) && <Pane key={store.views.key(view)} view={view} />,
        )}
        {views?.length === 0 && <Empty />}
        {views === undefined && <p class="waiting">Connecting to the room…</p>}
      </main>
      <div class="corner">
        {Object.entries(store.kinds).map(
          ([kind, { Notices }]) => Notices && <Notices key={kind} />,
        )}
        <Knocks />
        <Toasts />
        <Notice />
        <Questions />
      </div>
      <NameCard />
      <Dialogs />
    </div>
  );
}

/** A view's place; out of use it is out of sight and keeps what it has. */
function Pane({ view }: { view: View }) {
  const { store } = useSession();
  const { Body } = store.kindOf(view);
  const key = store.views.key(view);
  const active = store.views.isActive(view);
  const pane = useRef<HTMLElement>(null);
  // A browser takes the focus from what is inert only with its next frame.
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
      inert={!active}
    >
      <Body view={view} active={active} />
    </section>
  );
}
