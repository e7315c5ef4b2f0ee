// Owns staying at the end of a growing box: a reader at the end stays there; a reader who scrolled
// up is not moved, and sees how many entries arrived since.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** About a line's height: closer than this counts as the end. */
const NEAR_PX = 48;

interface StickState {
  /** Number of entries since the reader left the end. */
  readonly fresh: number;
  readonly isAway: boolean;
  readonly toEnd: () => void;
}

export function useStickToEnd(
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
