// Owns fitting the page above a phone's keyboard: iOS lays its keyboard over the page instead of resizing
// it. Loaded only on touch devices.

import "./seen.css";

/** The part of the browser's visual viewport that is used here. */
export interface Viewport extends Pick<EventTarget, "addEventListener" | "removeEventListener"> {
  readonly height: number;
  readonly offsetTop: number;
  readonly scale: number;
}

export interface VisibleArea {
  /** Visible pixels and where they begin; undefined if the whole page is visible. */
  readonly height: number | undefined;
  readonly top: number;
  /** Whether there is only room for the terminal and its key bar. */
  readonly isLow: boolean;
}

/** Height of a phone in landscape with its keyboard open, px. */
const LOW_PX = 260;

/** Higher than any browser's toolbar, so a smaller loss of height is not a keyboard, px. */
const MIN_KEYBOARD_PX = 100;

/** Returns the visible part of a page that is `pageHeight` pixels high. */
export function getVisibleArea(
  { height, offsetTop, scale }: Viewport,
  pageHeight: number,
): VisibleArea {
  // A page that the user zoomed into shows only a part on purpose.
  if (scale > 1.01) return { height: undefined, top: 0, isLow: pageHeight <= LOW_PX };
  const isCovered = pageHeight - height >= MIN_KEYBOARD_PX;
  return {
    height: isCovered ? height : undefined,
    top: isCovered ? offsetTop : 0,
    isLow: height <= LOW_PX,
  };
}

/** Keeps the root's attributes and variables in step with the viewport; returns the unsubscriber. */
export function trackVisibleArea(
  viewport: Viewport,
  root: Pick<HTMLElement, "toggleAttribute" | "clientHeight"> & {
    readonly style: Pick<CSSStyleDeclaration, "setProperty">;
  },
): () => void {
  const update = (): void => {
    const { height, top, isLow } = getVisibleArea(viewport, root.clientHeight);
    root.toggleAttribute("data-keyboard", height !== undefined);
    root.toggleAttribute("data-low", isLow);
    root.style.setProperty("--seen-height", `${height ?? 0}px`);
    root.style.setProperty("--seen-top", `${top}px`);
  };
  update();
  viewport.addEventListener("resize", update);
  viewport.addEventListener("scroll", update);
  return () => {
    viewport.removeEventListener("resize", update);
    viewport.removeEventListener("scroll", update);
  };
}
