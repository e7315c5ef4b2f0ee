// Owns a link as a QR code in half blocks: two of its rows are one line. Undefined where it does not
// fit, because half a code is none.

import { encode } from "uqr";

export interface QrSpace {
  readonly columns: number;
  readonly rows: number;
  readonly colors: boolean;
}

/** The standard asks for 4; readers manage with 2, and it may decide whether it fits. */
const QUIET_ZONE = 2;
const INDENT = "  ";

/** Black on white whatever the window's own colours are; without colours, for a dark window. */
const BLACK_ON_WHITE = "\u001B[38;5;16;48;5;231m";
const RESET = "\u001B[0m";

export function qrLines(text: string, { columns, rows, colors }: QrSpace): string[] | undefined {
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

/** What is drawn is what is said: true is ink. */
function halfBlock(upper: boolean, lower: boolean): string {
  if (upper) return lower ? "█" : "▀";
  return lower ? "▄" : " ";
}
