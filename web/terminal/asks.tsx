// Owns the questions of others who want to type where we do. Their place is always there: what comes
// into it is said aloud.

import { useSession } from "../context.ts";
import { lazily } from "../lazy.tsx";
import { takesInput } from "../session/terminals.ts";

const Ask = lazily(async () => (await import("./ask.tsx")).Ask);

export function Asks() {
  const { store } = useSession();
  // What ended meanwhile is no longer ours to give, and an answer to a host that is offline is lost.
  const open = store.asks.value.filter(
    ({ id }) => store.reachable.value && takesInput(store.terminal(id)),
  );
  return (
    <div class="toasts" role="log" aria-live="assertive" aria-label="Questions">
      {open.map((ask) => (
        <Ask key={`${ask.id} ${ask.peer}`} ask={ask} />
      ))}
    </div>
  );
}
