// Owns the position of a terminal's menu: at its pane's button, and fully visible. Pure.

/** Distance from the menu to its button and to the page's edge, px. */
const GAP = 8;

/** Returns the menu's position: above the button, right-aligned; it may overlap the neighbouring pane. */
export function getMenuPosition(
  button: Readonly<Pick<DOMRect, "right" | "top">>,
  menu: Readonly<Pick<DOMRect, "width" | "height">>,
  pageWidth: number,
): { left: number; top: number } {
  const left = Math.min(button.right, pageWidth - GAP) - menu.width;
  return { left: Math.max(GAP, left), top: Math.max(GAP, button.top - GAP - menu.height) };
}
