// Owns the commands of all views: going to a view, closing it, and the help.

import { toTabId } from "../views/view.ts";
import { moveBy } from "../views/views.ts";
import type { View } from "../views/view.ts";
import type { Store } from "../session/store.ts";
import type { CommandContext, Command } from "./command.ts";

export const CLOSE_VIEW: Command = {
  id: "view.close",
  title: "Close this tab",
  keys: "Alt+W",
  run: close,
};

/** Goes to a tab by the number on it. */
export const PICK_TAB: Command = {
  id: "view.pick",
  title: "Go to a tab by its number",
  keys: "Alt+1…9",
  run: ({ session: { store }, digit }) =>
    enter(
      store,
      store.views.all.peek()?.find((view) => store.getSummary(view).number === digit),
    ),
};

/** Lists all tabs with a filter, for when they do not fit the bar. */
export const LIST_TABS: Command = {
  id: "page.list",
  title: "List all tabs",
  keys: "Alt+Shift+T",
  isEnabled: ({ session: { store } }) => (store.views.all.value ?? []).length > 0,
  run: ({ session }) => void (session.store.dialog.value = { kind: "tabs" }),
};

export const SHOW_SHORTCUTS: Command = {
  id: "page.help",
  title: "Keyboard shortcuts",
  words: "help keys",
  keys: "Alt+/",
  run: ({ session }) => {
    session.store.dialog.value = { kind: "help" };
  },
};

export const SHOW_PALETTE: Command = {
  id: "page.palette",
  title: "Show all commands and tabs",
  keys: "Alt+Shift+P",
  run: ({ session }) => {
    session.store.dialog.value = { kind: "palette" };
  },
};

export const SETTINGS: Command = {
  id: "page.settings",
  title: "Settings for this browser",
  words:
    "theme colours colors dark light font size bell sound scrollback echo screen reader preferences options",
  keys: "Alt+,",
  run: ({ session }) => {
    session.store.dialog.value = { kind: "settings" };
  },
};

/**
 * Copies the link with the tunnel's address, if there is one: a page on this machine has another.
 */
export const COPY_LINK: Command = {
  id: "page.copy-link",
  title: "Copy this page’s link",
  words: "share invite url",
  keys: "Alt+Shift+L",
  // The host's own link skips the host's approval.
  refusal: ({ session: { store } }) =>
    store.people.you.peek()?.own
      ? "This is the host’s own link, which needs no approval. To invite someone, press i in pairpty’s window, or run: pairpty share"
      : undefined,
  run: ({ session }) => {
    const { store } = session;
    const where = store.address.peek();
    void navigator.clipboard.writeText(session.link).then(
      () =>
        store.toast(where === undefined ? "Link copied." : `Link copied: it opens at ${where}.`),
      () => store.toast("This browser did not allow copying the link."),
    );
  },
};

/** Closes a tab while the focus is in the tab bar, where Delete does not go to the terminal. */
export const CLOSE_TAB: Command = {
  id: "tabs.close",
  title: "Close the tab",
  keys: "Delete",
  scope: "tabs",
  run: close,
};

export const FRAME_COMMANDS: readonly Command[] = [
  CLOSE_VIEW,
  PICK_TAB,
  {
    id: "view.previous",
    title: "Previous tab",
    keys: "Alt+ArrowLeft",
    run: ({ session: { store } }) => enter(store, store.views.findNeighbour(-1)),
  },
  {
    id: "view.next",
    title: "Next tab",
    keys: "Alt+ArrowRight",
    run: ({ session: { store } }) => enter(store, store.views.findNeighbour(1)),
  },
  {
    id: "page.tabs",
    title: "Move the focus to the tabs",
    keys: "Alt+0",
    run: () => document.querySelector<HTMLElement>('[role="tab"][tabindex="0"]')?.focus(),
  },
  LIST_TABS,
  createMoveCommand(-1, "Move this tab to the left", "Alt+Shift+PageUp"),
  createMoveCommand(1, "Move this tab to the right", "Alt+Shift+PageDown"),
  SHOW_PALETTE,
  COPY_LINK,
  SETTINGS,
  SHOW_SHORTCUTS,
  {
    id: "tabs.previous",
    title: "Previous tab",
    keys: "ArrowLeft",
    scope: "tabs",
    run: ({ session: { store } }) => show(store, store.views.findNeighbour(-1)),
  },
  {
    id: "tabs.next",
    title: "Next tab",
    keys: "ArrowRight",
    scope: "tabs",
    run: ({ session: { store } }) => show(store, store.views.findNeighbour(1)),
  },
  {
    id: "tabs.first",
    title: "First tab",
    keys: "Home",
    scope: "tabs",
    run: ({ session: { store } }) => show(store, store.views.all.peek()?.[0]),
  },
  {
    id: "tabs.last",
    title: "Last tab",
    keys: "End",
    scope: "tabs",
    run: ({ session: { store } }) => show(store, store.views.all.peek()?.at(-1)),
  },
  // A tab is a button, so the browser handles Enter.
  { id: "tabs.enter", title: "Go into the tab", keys: "Enter", scope: "tabs" },
  CLOSE_TAB,
];

function close({ session, view }: CommandContext): void {
  if (view) session.store.getKind(view).close(session, view);
}

function createMoveCommand(by: 1 | -1, title: string, keys: string): Command {
  return {
    id: by === 1 ? "view.move-right" : "view.move-left",
    title,
    keys,
    isEnabled: ({ view }) => view !== undefined,
    run: ({ session: { store }, view }) => {
      if (view) store.views.arrange((all) => moveBy(all, store.views.key(view), by));
    },
  };
}

function enter({ views }: Store, view: View | undefined): void {
  if (view) views.enter(view);
}

/** Shows a view and keeps the focus in the tab bar. */
function show({ views }: Store, view: View | undefined): void {
  if (!view) return;
  views.activate(view);
  document.getElementById(toTabId(views.key(view)))?.focus();
}
