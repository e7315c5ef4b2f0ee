// Owns the place of agents' questions on the page: one card at a time, folded away or not, said aloud
// when a new one comes, and told to a person who is elsewhere. Takes no focus by itself.

import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { hintsOf } from "../commands/command.ts";
import { inWords } from "../commands/keys.ts";
import { useSession } from "../context.ts";
import { lazily } from "../lazy.tsx";
import { questionOf } from "../session/token.ts";
import { workspacePath } from "../../protocol/workspace.ts";
import { enter, openOnes } from "./actions.ts";
import { ENTER } from "./commands.ts";
import { browserPort, Notifier } from "./notifier.ts";
import { sentenceOf } from "./words.ts";

const Card = lazily(async () => (await import("./card.tsx")).Card);

export function Questions() {
  const { store } = useSession();
  const { approvals } = store;
  const open = openOnes(store);
  const front = approvals.front.value;
  useNotifications();
  useAddress();
  // A card that stands in a conversation is not shown here too: where it is, if it is out of sight.
  const placed = approvals.placed.value;
  const isElsewhere = front !== undefined && placed?.id === front.id;
  const isFolded = approvals.folded.value || (isElsewhere && !placed.isSeen);
  const isCard = open.length > 0 && front !== undefined && !isFolded && !isElsewhere;
  return (
    <>
      <Announcement />
      {isCard && <Card approval={front} />}
      {open.length > 0 && isFolded && <Pill count={open.length} />}
    </>
  );
}

function Pill({ count }: { count: number }) {
  const { store } = useSession();
  return (
    <button
      type="button"
      class="question-pill"
      {...hintsOf(ENTER)}
      // The focus stays where it was, in a terminal most often.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => {
        if (store.approvals.placed.peek()) enter(store);
        else store.approvals.folded.value = false;
      }}
    >
      <span class="dot" aria-hidden="true" />
      {count === 1 ? "1 question" : `${count} questions`}
    </button>
  );
}

/** Only the newest: a list read again from its start at every change helps nobody. */
function Announcement() {
  const { store } = useSession();
  const newest = openOnes(store).at(-1);
  return (
    <p class="visually-hidden" role="status" aria-live="assertive">
      {newest && `${sentenceOf(newest)}. ${inWords(ENTER.keys)} goes to the question.`}
    </p>
  );
}

function useNotifications(): void {
  const { store } = useSession();
  const open = openOnes(store);
  const notifier = useMemo(() => {
    const port = browserPort(({ id }) => {
      store.approvals.show(id);
      enter(store);
    });
    return new Notifier(port);
  }, [store]);
  // Not with the next frame: a page out of sight has none.
  useLayoutEffect(() => notifier.see(open), [notifier, open]);
  useEffect(() => () => notifier.dispose(), [notifier]);
}

/** A question's own address is the workspace's once that question is here, or cannot be. */
function useAddress(): void {
  const { store } = useSession();
  const role = store.role.value;
  const wanted = store.approvals.wanted.value;
  useEffect(() => {
    if (role === undefined || questionOf(location.pathname) === undefined) return;
    if (role === "view") store.toast("Read-only: this link cannot answer agents’ questions.");
    else if (wanted !== undefined) return;
    history.replaceState(null, "", workspacePath(store.workspace));
  }, [role, wanted]);
}
