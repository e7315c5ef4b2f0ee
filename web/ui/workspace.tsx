// Owns the page of a workspace: bar, terminals, the empty state, toasts and dialogs.

import { useEffect } from "preact/hooks";
import { TerminalView } from "../terminal/view.tsx";
import { toText } from "../terminal/title.ts";
import { open, perform } from "./actions.ts";
import { Asks } from "./asks.tsx";
import { useSession } from "./context.ts";
import { Dialogs } from "./dialogs.tsx";
import { Brand, Mark, Notice, Side } from "./header.tsx";
import { shortcutOf } from "./keys.ts";
import { TabBar } from "./tabs.tsx";
import { Toasts } from "./toasts.tsx";

export function Workspace() {
  const session = useSession();
  const { store } = session;
  const tabs = store.tabs.value;
  const tab = store.activeTab.value;

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const shortcut = shortcutOf(event);
      if (!shortcut || store.dialog.peek()) return;
      event.preventDefault();
      perform(session, shortcut);
    };
    globalThis.addEventListener("keydown", onKeyDown);
    return () => globalThis.removeEventListener("keydown", onKeyDown);
  }, [session]);

  const name = toText(store.names.value.get(tab?.terminal.id ?? ""));
  useEffect(() => {
    document.title = [name, store.workspace, "pairpty"].filter(Boolean).join(" · ");
  }, [name]);

  return (
    <div class="app">
      <header class="bar">
        <Brand />
        <TabBar />
        <Side />
      </header>
      <main class="stage">
        {tabs?.map((one) => one.opened && <TerminalView key={one.terminal.id} tab={one} />)}
        {tabs?.length === 0 && <Empty />}
        {tabs === undefined && <p class="waiting">Waiting for the room…</p>}
      </main>
      <div class="corner">
        <Asks />
        <Toasts />
        <Notice />
      </div>
      <Dialogs />
    </div>
  );
}

function Empty() {
  const session = useSession();
  const { store } = session;
  return (
    <div class="empty">
      <Mark />
      <h2>{store.mayEdit.value ? "A quiet place" : "Nothing runs here yet"}</h2>
      {store.mayEdit.value ? (
        <>
          <p>
            Open a terminal: a real shell, in the folder where pairpty was started. Everybody with a
            link sees it live.
          </p>
          <button
            type="button"
            class="primary"
            disabled={store.spawning.value}
            onClick={() => void open(session)}
          >
            Open a terminal
          </button>
          <p class="hint">
            <kbd>Alt</kbd> <kbd>N</kbd> does the same · <kbd>Alt</kbd> <kbd>/</kbd> shows all keys
          </p>
        </>
      ) : (
        <p>Terminals appear by themselves as soon as somebody opens one.</p>
      )}
    </div>
  );
}
