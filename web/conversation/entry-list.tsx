// Owns the scrolling list of a conversation's entries: the newest first, earlier ones on demand. A
// reader at the end stays there; a reader who scrolled up is not moved, and sees how many entries
// arrived since.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState, useEffect } from "preact/hooks";
import type { Conversation } from "../../protocol/conversation.ts";
import { useSession } from "../context.ts";
import { showInvisible } from "../session/visible-text.ts";
import { formatReach } from "./conversation-texts.ts";
import { EntryPart, UnplacedQuestion } from "./entry.tsx";

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

/** About a line's height: closer than this counts as the end. */
const NEAR_PX = 48;

interface StickState {
  /** Number of entries since the reader left the end. */
  readonly fresh: number;
  readonly isAway: boolean;
  readonly toEnd: () => void;
}

function useStickToEnd(
  box: RefObject<HTMLElement | null>,
  inside: RefObject<HTMLElement | null>,
  ids: readonly string[],
  active: boolean,
): StickState {
  const isStuck = useRef(true);
  const top = useRef(0);
  const [isAway, setAway] = useState(false);
  /** The last entry that was seen at the end. */
  const last = useRef<string | undefined>(undefined);
  const toEnd = (): void => {
    isStuck.current = true;
    setAway(false);
    follow();
  };
  const follow = (): void => {
    const element = box.current;
    if (!element || !isStuck.current) return;
    element.scrollTop = element.scrollHeight;
    top.current = element.scrollTop;
  };
  useEffect(() => {
    const element = box.current;
    if (!element || !inside.current) return undefined;
    const onScroll = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const isNear = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      // Growth below does not move the reader: only scrolling up leaves the end.
      if (isNear) isStuck.current = true;
      else if (scrollTop < top.current) isStuck.current = false;
      top.current = scrollTop;
      setAway(!isStuck.current);
    };
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    observer.observe(inside.current);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, []);
  useLayoutEffect(follow, [ids, active]);
  if (!isAway) last.current = ids.at(-1);
  const seen = last.current === undefined ? -1 : ids.lastIndexOf(last.current);
  return { fresh: isAway ? ids.length - 1 - seen : 0, isAway, toEnd };
}
