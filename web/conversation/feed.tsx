// Owns the scrolling list of a conversation's entries: the newest first, earlier ones on demand,
// and staying at the end while the reader is there.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../../protocol/conversation.ts";
import { useSession } from "../context.ts";
import { seen } from "../session/lines.ts";
import { EntryPart } from "./entry.tsx";
import { Unplaced } from "./permission.tsx";
import { useSticking } from "./sticking.ts";
import { reachOf } from "./words.ts";

/** Entries drawn at first and added by each click: thousands at once would be slow. */
const STEP = 120;

/** Frames that a browser needs to draw newly visible entries. */
const SETTLING_FRAMES = 3;

export function Feed({ conversation, active }: { conversation: Conversation; active: boolean }) {
  const { store } = useSession();
  const transcript = store.conversations.transcript(conversation.id);
  const ids = transcript.ids.value;
  const [most, setMost] = useState(STEP);
  const box = useRef<HTMLDivElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  const { fresh, isAway, toEnd } = useSticking(box, inside, ids, active);
  const hidden = Math.max(0, ids.length - most);
  const earlier = useEarlier(box, most);
  const isEmpty = ids.length === 0;
  return (
    <div class="talk-body">
      <div
        ref={box}
        class="talk-feed"
        role="log"
        aria-label={`Conversation with ${seen(conversation.agent.label)}`}
        aria-busy={!transcript.isWhole.value}
        tabIndex={0}
      >
        <div ref={inside} class="talk-inside">
          <p class="talk-reach">{reachOf(conversation)}</p>
          {transcript.isCut.value && hidden === 0 && (
            <p class="talk-note">The host no longer has the earlier parts.</p>
          )}
          {hidden > 0 && (
            <button
              type="button"
              class="quiet talk-earlier"
              onClick={() => {
                earlier();
                setMost(most + STEP);
              }}
            >
              Show {Math.min(hidden, STEP)} earlier of {hidden}
            </button>
          )}
          {ids.slice(hidden).map((id) => {
            const entry = transcript.entry(id);
            return entry && <EntryPart key={id} of={entry} conversation={conversation} />;
          })}
          <Unplaced conversation={conversation} />
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
            setMost(STEP);
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
function useEarlier(box: { readonly current: HTMLElement | null }, most: number): () => void {
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
  }, [most]);
  return () => {
    const element = box.current?.querySelector("article");
    if (element) kept.current = { element, top: element.getBoundingClientRect().top };
  };
}
