// Returns the escape sequences that prepare the window for a recording and restore it afterwards. Pure.

interface WindowHeight {
  readonly rows: number;
}

const ESC = "\u001B";

/**
 * Resets modes that a recording may leave set: colours, charsets, margins, alternate screen, hidden
 * cursor, mouse reports, key modes. Does not move the cursor or clear.
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
 * Returns text that empties the screen. Scrolls old content up instead of clearing, so that it stays
 * readable.
 */
export function emptyScreen({ rows }: WindowHeight): string {
  return `${ESC}[0m${"\n".repeat(rows)}${ESC}[H${ESC}[J`;
}

/** Returns text that keeps the recording's last screen and moves below it. */
export function leaveScreen(window: WindowHeight, recording: WindowHeight): string {
  return `${RESTORE}${ESC}[${Math.min(window.rows, recording.rows)};1H\n`;
}
