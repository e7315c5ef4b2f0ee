// Owns the screen that a recording is played on: an empty one before, a readable one after. Pure: text
// for the window.

interface Height {
  readonly rows: number;
}

const ESC = "\u001B";

/**
 * What a recording may have left behind: colours, charsets, margins, the other screen, a hidden cursor,
 * mouse reports, other keys. Nothing that moves the cursor or clears.
 */
const RESTORE = [
  `${ESC}[?1049l`,
  `${ESC}7${ESC}[r${ESC}[?69l${ESC}8`,
  `${ESC}[0m${ESC}(B\u000F`,
  `${ESC}[?25h${ESC}[?7h${ESC}[?1l${ESC}>${ESC}[4l${ESC}[?6l${ESC}[?5l`,
  `${ESC}[?9l${ESC}[?1000l${ESC}[?1002l${ESC}[?1003l${ESC}[?1004l${ESC}[?1006l`,
  `${ESC}[?2004l${ESC}[?2026l${ESC}[<u${ESC}[0 q${ESC}]8;;${ESC}\\`,
].join("");

/**
 * Nothing is on the screen, and the cursor is at its start. What was there is scrolled up rather than
 * cleared, so that it can be read again.
 */
export function emptied({ rows }: Height): string {
  return `${ESC}[0m${"\n".repeat(rows)}${ESC}[H${ESC}[J`;
}

/** The recording's last screen stays, and whatever comes next is below it. */
export function left(window: Height, recording: Height): string {
  return `${RESTORE}${ESC}[${Math.min(window.rows, recording.rows)};1H\n`;
}
