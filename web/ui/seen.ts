// Owns what part of the page a phone's keyboard leaves in sight: iOS lays its keyboard over the page,
// which then has to fit above it by itself. Loaded where fingers are the pointer.

import "./seen.css";

/** What is asked of the browser's visual viewport. */
export interface Viewport extends Pick<EventTarget, "addEventListener" | "removeEventListener"> {
  readonly height: number;
  readonly offsetTop: number;
  readonly scale: number;
}

export interface Seen {
  /** Pixels that the page has, and how far down they begin; undefined where that is all of it. */
  readonly height: number | undefined;
  readonly top: number;
  /** So little that only the terminal and its keys are shown. */
  readonly isLow: boolean;
}

/** A phone on its side with the keyboard open, px. */
const LOW_PX = 260;

/** A keyboard is higher than any browser's bar, px. */
const LEAST_KEYBOARD_PX = 100;

/** `whole`: the height of the page. */
export function seenOf({ height, offsetTop, scale }: Viewport, whole: number): Seen {
  // Somebody who has zoomed in to the page sees a part of it on purpose.
  if (scale > 1.01) return { height: undefined, top: 0, isLow: whole <= LOW_PX };
  const isCovered = whole - height >= LEAST_KEYBOARD_PX;
  return {
    height: isCovered ? height : undefined,
    top: isCovered ? offsetTop : 0,
    isLow: height <= LOW_PX,
  };
}

/** The end of it is returned. */
export function keepInSight(
  viewport: Viewport,
  root: Pick<HTMLElement, "toggleAttribute" | "clientHeight"> & {
    readonly style: Pick<CSSStyleDeclaration, "setProperty">;
  },
): () => void {
  const look = (): void => {
    const { height, top, isLow } = seenOf(viewport, root.clientHeight);
    root.toggleAttribute("data-keyboard", height !== undefined);
    root.toggleAttribute("data-low", isLow);
    root.style.setProperty("--seen-height", `${height ?? 0}px`);
    root.style.setProperty("--seen-top", `${top}px`);
  };
  look();
  viewport.addEventListener("resize", look);
  viewport.addEventListener("scroll", look);
  return () => {
    viewport.removeEventListener("resize", look);
    viewport.removeEventListener("scroll", look);
  };
}
