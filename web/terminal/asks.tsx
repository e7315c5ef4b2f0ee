// Owns what terminals bring to the page's corner: the questions of others who want to type where we
// do, whose place is always there, so that what comes into it is said aloud; and the input for a
// terminal that is being opened.

import { useSession } from "../context.ts";
import { lazily } from "../lazy.tsx";
import { InputCatcher } from "./input-catcher.tsx";
import { takesInput } from "../session/terminals.ts";

const Ask = lazily(async () => (await import("./ask.tsx")).Ask);

export function TerminalNotices() {
  return (
    <>
      <InputCatcher />
      <Asks />
    </>
  );
}

function Asks() {
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
