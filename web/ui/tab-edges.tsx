// Owns the edges of the tab bar: which of them hide tabs, and the arrows that scroll to those with the
// mouse. The selected tab is always scrolled into view.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

interface HiddenEdges {
  readonly left: boolean;
  readonly right: boolean;
}

/** Share of the width that one click scrolls; the rest stays visible for orientation. */
const SCROLL_SHARE = 0.7;

/** Width of an arrow in tabs.css. */
const ARROW_PX = 24;

/** Returns which edges hide tabs; updates on scroll and resize. */
export function useHiddenEdges(
  list: RefObject<HTMLElement | null>,
  tabs: readonly unknown[],
): HiddenEdges {
  const [edges, setEdges] = useState<HiddenEdges>({ left: false, right: false });
  const update = (): void => {
    if (!list.current) return;
    const { scrollLeft, clientWidth, scrollWidth } = list.current;
    // Zoomed pages scroll by fractions of a pixel.
    const left = scrollLeft > 1;
    markCutTabs(list.current, left);
    const right = scrollLeft + clientWidth < scrollWidth - 1;
    setEdges((before) =>
      before.left === left && before.right === right ? before : { left, right },
    );
  };
  useLayoutEffect(update, [tabs]);
  useEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      const used = element.querySelector('[aria-selected="true"]');
      used?.scrollIntoView({ block: "nearest", inline: "nearest" });
      update();
    });
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, [tabs.length > 0]);
  return edges;
}

export function EdgeArrow({
  list,
  to,
}: {
  list: RefObject<HTMLElement | null>;
  to: "left" | "right";
}) {
  return (
    <span
      class={`tab-edge ${to}`}
      aria-hidden="true"
      title="More tabs"
      onClick={() => {
        const by = (list.current?.clientWidth ?? 0) * SCROLL_SHARE;
        list.current?.scrollBy({ left: to === "left" ? -by : by });
      }}
    >
      {to === "left" ? "‹" : "›"}
    </span>
  );
}

/** Marks the tabs whose left end is hidden by the edge or its arrow. */
function markCutTabs(list: HTMLElement, isScrolled: boolean): void {
  const edge = list.getBoundingClientRect().left + ARROW_PX;
  for (const tab of list.querySelectorAll<HTMLElement>('[role="tab"]'))
    tab.dataset["cut"] = String(isScrolled && tab.getBoundingClientRect().left < edge);
}
