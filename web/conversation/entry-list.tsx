// Owns the scrolling list of a conversation's entries: the newest first, earlier ones on demand,
// and staying at the end while the reader is there.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../../protocol/conversation.ts";
import { useSession } from "../context.ts";
import { showInvisible } from "../session/visible-text.ts";
import { EntryPart } from "./entry.tsx";
import { UnplacedQuestion } from "./permission.tsx";
import { useStickToEnd } from "./stick-to-end.ts";
import { formatReach } from "./conversation-texts.ts";

/** Entries drawn at first and added by each click: thousands at once would be slow. */
const PAGE_ENTRIES = 120;

/** Frames that a browser needs to draw newly visible entries. */
const SETTLING_FRAMES = 3;

export function EntryList({
  conversation,
  active,
}: {
  conversation: Conversation;
  active: boolean;
}) {
  const { store } = useSession();
  const transcript = store.conversations.getTranscript(conversation.id);
  const ids = transcript.ids.value;
  const [shownCount, setShownCount] = useState(PAGE_ENTRIES);
  const box = useRef<HTMLDivElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  const { fresh, isAway, toEnd } = useStickToEnd(box, inside, ids, active);
  const hidden = Math.max(0, ids.length - shownCount);
  const earlier = useKeepPosition(box, shownCount);
  const isEmpty = ids.length === 0;
  return (
    <div class="talk-body">
      <div
        ref={box}
        class="talk-feed"
        role="log"
        aria-label={`Conversation with ${showInvisible(conversation.agent.label)}`}
        aria-busy={!transcript.isWhole.value}
        tabIndex={0}
      >
        <div ref={inside} class="talk-inside">
          <p class="talk-reach">{formatReach(conversation)}</p>
          {transcript.isCut.value && hidden === 0 && (
            <p class="talk-note">The host no longer has the earlier parts.</p>
          )}
          {hidden > 0 && (
            <button
              type="button"
              class="quiet talk-earlier"
              onClick={() => {
                earlier();
                setShownCount(shownCount + PAGE_ENTRIES);
              }}
            >
              Show {Math.min(hidden, PAGE_ENTRIES)} earlier of {hidden}
            </button>
          )}
          {ids.slice(hidden).map((id) => {
            const entry = transcript.entry(id);
            return entry && <EntryPart key={id} of={entry} conversation={conversation} />;
          })}
          <UnplacedQuestion conversation={conversation} />
          {isEmpty && transcript.isWhole.value && <p class="talk-note">No messages yet.</p>}
          {isEmpty && !transcript.isWhole.value && <p class="talk-note">Loading…</p>}
        </div>
      </div>
      {isAway && (
        <button
          type="button"
          class="talk-new"
          onClick={() => {
            // Earlier entries were read, and would slow the page down.
            setShownCount(PAGE_ENTRIES);
            toEnd();
          }}
        >
          {fresh > 0 ? `${fresh} new` : "Jump to the end"} <span aria-hidden="true">↓</span>
        </button>
      )}
    </div>
  );
}

/**
 * Keeps the read entry in place when earlier ones are inserted above. Returns what to call before.
 * Heights above are estimates until drawn, so the position is corrected for a few frames.
 */
function useKeepPosition(
  box: { readonly current: HTMLElement | null },
  shownCount: number,
): () => void {
  const kept = useRef<{ element: Element; top: number } | undefined>(undefined);
  useLayoutEffect(() => {
    const { element, top } = kept.current ?? {};
    kept.current = undefined;
    const hold = (frames: number): void => {
      if (!box.current || !element || top === undefined) return;
      box.current.scrollTop += element.getBoundingClientRect().top - top;
      if (frames > 0) requestAnimationFrame(() => hold(frames - 1));
    };
    hold(SETTLING_FRAMES);
  }, [shownCount]);
  return () => {
    const element = box.current?.querySelector("article");
    if (element) kept.current = { element, top: element.getBoundingClientRect().top };
  };
}
