// Owns the container of the agents view, whose code is loaded when it is first shown. Also owns the
// agents view: one tab with agents' terminals and the timeline. Its drawing code is loaded on
// demand.

import type { Command } from "../commands/command.ts";
import { lazyComponent } from "../lazy.tsx";
import type { ViewKind } from "../views/view.ts";

const Pane = lazyComponent(
  async () => (await import("./pane.tsx")).AgentsPane,
  () => <p class="waiting">Loading what agents did…</p>,
);

function AgentsBody({ active }: { active: boolean }) {
  return <Pane active={active} />;
}

export interface AgentsView {
  readonly kind: "agents";
}

const VIEW: AgentsView = { kind: "agents" };

const OPEN: Command = {
  id: "agents.open",
  title: "Agents: their terminals, and what they did",
  keys: "Alt+Shift+A",
  run: ({ session: { store } }) => {
    store.showAgents(true);
    store.views.enter(VIEW);
  },
};

export const AGENTS: ViewKind<AgentsView> = {
  key: () => "agents",
  list: (store) => (store.showsAgents.value ? [VIEW] : []),
  summarize: () => ({
    label: "Agents",
    name: "Agents",
    number: undefined,
    details: ["Their terminals, and what they did"],
    chips: [],
    ended: false,
    closing: "Close",
  }),
  close: ({ store }) => {
    store.views.leave(VIEW);
    store.showAgents(false);
  },
  Body: AgentsBody,
  open: OPEN,
  commands: [OPEN],
};
