// Owns the conversion of a screen for pictures: the emulator's cells with resolved colours, as in
// the page's dark theme.

import type { IBufferCell, Terminal } from "@xterm/headless";
import type { Color, PictureCell, PictureSource } from "../pictures/cells.ts";
import type { Colors } from "./colors.ts";
import { inside } from "./inside.ts";

const BRIGHT = 8;

/** Copies all cells synchronously: the emulator may change afterwards. */
export function lookOf(terminal: Terminal, colors: Pick<Colors, "of">): PictureSource {
  const { cols, rows } = terminal;
  const buffer = terminal.buffer.active;
  const scratch = buffer.getNullCell();
  const cells: PictureCell[] = [];
  for (let row = 0; row < rows; row++) {
    const line = buffer.getLine(buffer.baseY + row);
    for (let column = 0; column < cols; column++) {
      const cell = line?.getCell(column, scratch);
      cells.push(cell === undefined ? blank(colors) : cellOf(cell, colors));
    }
  }
  const x = Math.min(buffer.cursorX, cols - 1);
  const isHidden = inside(terminal).coreService.isCursorHidden;
  return {
    cols,
    rows,
    cell: (column, row) => cells[row * cols + column] ?? blank(colors),
    cursor: isHidden ? undefined : { x, y: buffer.cursorY, color: colors.of("cursor") },
  };
}

function cellOf(cell: IBufferCell, colors: Pick<Colors, "of">): PictureCell {
  const bold = cell.isBold() !== 0;
  const ink = foreground(cell, bold, colors);
  const ground = backgroundOf(cell, colors);
  const [front, back] = cell.isInverse() === 0 ? [ink, ground] : [ground, ink];
  return {
    text: cell.isInvisible() === 0 ? cell.getChars() : "",
    width: cell.getWidth(),
    color: cell.isDim() === 0 ? front : between(front, back),
    background: back,
    bold,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    strikethrough: cell.isStrikethrough() !== 0,
    overline: cell.isOverline() !== 0,
  };
}

/** Returns the text colour; as in the page, bold makes the first eight colours bright. */
function foreground(cell: IBufferCell, bold: boolean, colors: Pick<Colors, "of">): Color {
  if (cell.isFgDefault()) return colors.of("text");
  const value = cell.getFgColor();
  if (cell.isFgRGB()) return value;
  return colors.of(bold && value < BRIGHT ? value + BRIGHT : value);
}

function backgroundOf(cell: IBufferCell, colors: Pick<Colors, "of">): Color {
  if (cell.isBgDefault()) return colors.of("background");
  return cell.isBgRGB() ? cell.getBgColor() : colors.of(cell.getBgColor());
}

function between(one: Color, other: Color): Color {
  const part = (shift: number) => (((one >>> shift) & 0xff) + ((other >>> shift) & 0xff)) >>> 1;
  return (part(16) << 16) | (part(8) << 8) | part(0);
}

function blank(colors: Pick<Colors, "of">): PictureCell {
  return {
    text: "",
    width: 1,
    color: colors.of("text"),
    background: colors.of("background"),
    bold: false,
    italic: false,
    underline: false,
    strikethrough: false,
    overline: false,
  };
}
