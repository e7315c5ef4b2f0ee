// Owns the container of the agents view, whose code is loaded when it is first shown.

import { lazyComponent } from "../lazy.tsx";

const Pane = lazyComponent(
  async () => (await import("./pane.tsx")).AgentsPane,
  () => <p class="waiting">Loading what agents did…</p>,
);

export function AgentsBody({ active }: { active: boolean }) {
  return <Pane active={active} />;
}
