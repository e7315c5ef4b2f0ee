// Owns agents' questions while there are any: one card at a time, folded away or not, the sentence for
// who listens, and the notice for a person who is elsewhere.

import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { hintsOf } from "../commands/command.ts";
import { inWords } from "../commands/keys.ts";
import { useSession } from "../context.ts";
import { enter, openOnes } from "./actions.ts";
import { Card } from "./card.tsx";
import { ENTER } from "./commands.ts";
import { browserPort, Notifier } from "./notifier.ts";
import { sentenceOf } from "./words.ts";

export function OpenOnes({ onSay }: { onSay: (text: string) => void }) {
  const { store } = useSession();
  const { approvals } = store;
  const open = openOnes(store);
  const front = approvals.front.value;
  useNotifications();
  // Only the newest: a list read again from its start at every change helps nobody.
  const newest = open.at(-1);
  useLayoutEffect(
    () =>
      onSay(newest ? `${sentenceOf(newest)}. ${inWords(ENTER.keys)} goes to the question.` : ""),
    [newest],
  );
  // A card that stands in a conversation is not shown here too: where it is, if it is out of sight.
  const placed = approvals.placed.value;
  const isElsewhere = front !== undefined && placed?.id === front.id;
  const isFolded = approvals.folded.value || (isElsewhere && !placed.isSeen);
  const isCard = open.length > 0 && front !== undefined && !isFolded && !isElsewhere;
  return (
    <>
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
