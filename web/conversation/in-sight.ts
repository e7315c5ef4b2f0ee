// Owns whether an element is in sight, or about to be.

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Delay that skips elements which are only scrolled past. */
const SETTLE_MS = 150;

/** Distance at which loading starts, before the element is visible. */
const MARGIN = "240px";

export function useInSight(place: RefObject<HTMLElement | null>): boolean {
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const root = element.closest(".talk-feed");
    const observer = new IntersectionObserver(
      (entries) => {
        const isNow = entries.at(-1)?.isIntersecting === true;
        clearTimeout(timer);
        timer = setTimeout(() => setInSight(isNow), SETTLE_MS);
      },
      { root, rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, []);
  return isInSight;
}
