// Owns agents' open questions: one card at a time or the folded button, the announcement for screen
// readers, and notifications for a hidden page.

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
  // Announces only the newest: repeating the whole list at every change would not help.
  const newest = open.at(-1);
  useLayoutEffect(
    () =>
      onSay(newest ? `${sentenceOf(newest)}. ${inWords(ENTER.keys)} goes to the question.` : ""),
    [newest],
  );
  // A card inside a conversation is not shown here as well, unless it is out of sight.
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
      // Keeps the focus, usually in a terminal.
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
  // Not in an animation frame: a hidden page has none.
  useLayoutEffect(() => notifier.see(open), [notifier, open]);
  useEffect(() => () => notifier.dispose(), [notifier]);
}
