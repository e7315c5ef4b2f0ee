// Draws a link as a QR code in half blocks, two rows per line. Returns undefined if it does not fit,
// since a partial code is useless.

import { encode } from "uqr";

export interface QrSpace {
  readonly columns: number;
  readonly rows: number;
  readonly colors: boolean;
}

/** The standard requires 4; readers accept 2, and it may decide whether the code fits. */
const QUIET_ZONE = 2;
const INDENT = "  ";

/** Black on white, whatever the window's colours; without colours, for a dark window. */
const BLACK_ON_WHITE = "\u001B[38;5;16;48;5;231m";
const RESET = "\u001B[0m";

export function formatQrCode(
  text: string,
  { columns, rows, colors }: QrSpace,
): string[] | undefined {
  const { data, size } = encode(text, { border: QUIET_ZONE, ecc: "L" });
  if (size + INDENT.length > columns || Math.ceil(size / 2) > rows) return undefined;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    const cells = Array.from({ length: size }, (_, column) => {
      const upper = data[row]?.[column] ?? false;
      const lower = data[row + 1]?.[column] ?? false;
      return colors ? halfBlock(upper, lower) : halfBlock(!upper, !lower);
    }).join("");
    lines.push(colors ? `${INDENT}${BLACK_ON_WHITE}${cells}${RESET}` : `${INDENT}${cells}`);
  }
  return lines;
}

/** Returns the character for two rows; true is ink. */
function halfBlock(upper: boolean, lower: boolean): string {
  if (upper) return lower ? "█" : "▀";
  return lower ? "▄" : " ";
}
