// Owns where a terminal's menu opens: at the button of its own pane, and whole. Pure.

/** Between the menu and its button, and between the menu and the page's edge, px. */
const GAP = 8;

/** Above the button, in line with its right edge; in a pane that is too small, over the next one. */
export function menuPlace(
  button: Readonly<Pick<DOMRect, "right" | "top">>,
  menu: Readonly<Pick<DOMRect, "width" | "height">>,
  pageWidth: number,
): { left: number; top: number } {
  const left = Math.min(button.right, pageWidth - GAP) - menu.width;
  return { left: Math.max(GAP, left), top: Math.max(GAP, button.top - GAP - menu.height) };
}
