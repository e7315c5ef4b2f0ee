// Owns staying at the end of a box that grows: a reader at the end stays there; a reader who
// scrolled up is not moved, and sees how much has come since.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** A line's height or so: who is that near is at the end. */
const NEAR_PX = 48;

interface Sticking {
  /** How many have come since the end was left. */
  readonly fresh: number;
  readonly isAway: boolean;
  readonly toEnd: () => void;
}

export function useSticking(
  box: RefObject<HTMLElement | null>,
  inside: RefObject<HTMLElement | null>,
  ids: readonly string[],
  active: boolean,
): Sticking {
  const isStuck = useRef(true);
  const top = useRef(0);
  const [isAway, setAway] = useState(false);
  /** The last one that was seen at the end. */
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
      // What grows below moves nobody: only going up is leaving.
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
