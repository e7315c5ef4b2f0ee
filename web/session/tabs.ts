// Owns the list of tabs as pure changes: what the room says about terminals, and what this page
// remembers beside it. A terminal that ended stays as a tab until it is dismissed.

import type { Exit, Terminal } from "../../protocol/terminal.ts";

/** "gone": it ended while nobody told us how. */
export type Ended = Exit | "gone";

export interface Tab {
  readonly terminal: Terminal;
  /** Looked at since the page was loaded, so it has a screen here. */
  readonly opened: boolean;
  /** Printed something since it was last looked at. */
  readonly unread: boolean;
  readonly ended?: Ended;
}

export type Tabs = readonly Tab[];

/** The whole list, told on joining and when the bridge is back. */
export function listed(tabs: Tabs, terminals: readonly Terminal[]): Tabs {
  const now = new Map(terminals.map((terminal) => [terminal.id, terminal]));
  const kept = tabs.flatMap((tab): Tab[] => {
    const terminal = now.get(tab.terminal.id);
    now.delete(tab.terminal.id);
    if (terminal) return [{ ...tab, terminal }];
    if (tab.ended) return [tab];
    return tab.opened ? [{ ...tab, ended: "gone" }] : [];
  });
  const added = [...now.values()].sort((a, b) => a.createdAt - b.createdAt);
  return inOrder([...kept, ...added.map(tabFor)]);
}

/** Created or promoted; told by the event, by the answer to our own spawn, or by both. */
export function known(tabs: Tabs, terminal: Terminal): Tabs {
  if (!find(tabs, terminal.id)) return inOrder([...tabs, tabFor(terminal)]);
  return change(tabs, terminal.id, (tab) => ({ ...tab, terminal }));
}

export function closed(tabs: Tabs, terminal: Terminal, exit?: Exit): Tabs {
  const tab = find(tabs, terminal.id);
  // An agent's background command that nobody looked at comes and goes without a trace.
  if (tab && !tab.opened && !terminal.visible) return dismissed(tabs, terminal.id);
  return exited(tabs, terminal.id, exit ?? "gone");
}

export function exited(tabs: Tabs, id: string, ended: Ended): Tabs {
  return change(tabs, id, (tab) => ({
    ...tab,
    ended: ended === "gone" ? (tab.ended ?? ended) : ended,
  }));
}

export function dismissed(tabs: Tabs, id: string): Tabs {
  return tabs.filter((tab) => tab.terminal.id !== id);
}

export function shown(tabs: Tabs, id: string): Tabs {
  return change(tabs, id, (tab) => ({ ...tab, opened: true, unread: false }));
}

export function printed(tabs: Tabs, id: string): Tabs {
  return find(tabs, id)?.unread === false
    ? change(tabs, id, (tab) => ({ ...tab, unread: true }))
    : tabs;
}

export function retitled(tabs: Tabs, id: string, title: string): Tabs {
  return change(tabs, id, (tab) => ({ ...tab, terminal: { ...tab.terminal, title } }));
}

export function find(tabs: Tabs, id: string | undefined): Tab | undefined {
  return tabs.find((tab) => tab.terminal.id === id);
}

/** Whether somebody may type into it; an agent's terminal is its own. */
export function takesInput(tab: Tab | undefined): boolean {
  return tab !== undefined && !tab.ended && tab.terminal.owner === "user";
}

/** The tab to show when `id` is no longer there: its right neighbour, else its left. */
export function beside(tabs: Tabs, id: string): string | undefined {
  const at = tabs.findIndex((tab) => tab.terminal.id === id);
  return (tabs[at + 1] ?? tabs[at - 1])?.terminal.id;
}

/** The tab `by` places on, around the ends. */
export function stepped(tabs: Tabs, id: string | undefined, by: number): string | undefined {
  const at = tabs.findIndex((tab) => tab.terminal.id === id);
  return tabs[(at + by + tabs.length) % tabs.length]?.terminal.id;
}

/** By their numbers, which are the same for everybody; as they came where a bridge gives none. */
function inOrder(tabs: Tabs): Tabs {
  return tabs.toSorted((a, b) => (a.terminal.number ?? 0) - (b.terminal.number ?? 0));
}

function tabFor(terminal: Terminal): Tab {
  return { terminal, opened: false, unread: false };
}

function change(tabs: Tabs, id: string, by: (tab: Tab) => Tab): Tabs {
  return tabs.map((tab) => (tab.terminal.id === id ? by(tab) : tab));
}
