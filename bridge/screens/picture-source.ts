// Owns the conversion of a screen for pictures: the emulator's cells with resolved colours, as in
// the page's dark theme.

import type { IBufferCell, Terminal } from "@xterm/headless";
import type { Color, PictureCell, PictureSource } from "../pictures/picture-cells.ts";
import type { Colors } from "./colors.ts";
import { getInternals } from "./xterm-internals.ts";

const BRIGHT = 8;

/** Copies all cells synchronously: the emulator may change afterwards. */
export function toPictureSource(terminal: Terminal, colors: Pick<Colors, "get">): PictureSource {
  const { cols, rows } = terminal;
  const buffer = terminal.buffer.active;
  const scratch = buffer.getNullCell();
  const cells: PictureCell[] = [];
  for (let row = 0; row < rows; row++) {
    const line = buffer.getLine(buffer.baseY + row);
    for (let column = 0; column < cols; column++) {
      const cell = line?.getCell(column, scratch);
      cells.push(cell === undefined ? blank(colors) : toPictureCell(cell, colors));
    }
  }
  const x = Math.min(buffer.cursorX, cols - 1);
  const isHidden = getInternals(terminal).coreService.isCursorHidden;
  return {
    cols,
    rows,
    getCell: (column, row) => cells[row * cols + column] ?? blank(colors),
    cursor: isHidden ? undefined : { x, y: buffer.cursorY, color: colors.get("cursor") },
  };
}

function toPictureCell(cell: IBufferCell, colors: Pick<Colors, "get">): PictureCell {
  const bold = cell.isBold() !== 0;
  const ink = getForeground(cell, bold, colors);
  const ground = getBackground(cell, colors);
  const [front, back] = cell.isInverse() === 0 ? [ink, ground] : [ground, ink];
  return {
    text: cell.isInvisible() === 0 ? cell.getChars() : "",
    width: cell.getWidth(),
    color: cell.isDim() === 0 ? front : mixColors(front, back),
    background: back,
    bold,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    strikethrough: cell.isStrikethrough() !== 0,
    overline: cell.isOverline() !== 0,
  };
}

/** Returns the text colour; as in the page, bold makes the first eight colours bright. */
function getForeground(cell: IBufferCell, bold: boolean, colors: Pick<Colors, "get">): Color {
  if (cell.isFgDefault()) return colors.get("text");
  const value = cell.getFgColor();
  if (cell.isFgRGB()) return value;
  return colors.get(bold && value < BRIGHT ? value + BRIGHT : value);
}

function getBackground(cell: IBufferCell, colors: Pick<Colors, "get">): Color {
  if (cell.isBgDefault()) return colors.get("background");
  return cell.isBgRGB() ? cell.getBgColor() : colors.get(cell.getBgColor());
}

function mixColors(one: Color, other: Color): Color {
  const part = (shift: number) => (((one >>> shift) & 0xff) + ((other >>> shift) & 0xff)) >>> 1;
  return (part(16) << 16) | (part(8) << 8) | part(0);
}

function blank(colors: Pick<Colors, "get">): PictureCell {
  return {
    text: "",
    width: 1,
    color: colors.get("text"),
    background: colors.get("background"),
    bold: false,
    italic: false,
    underline: false,
    strikethrough: false,
    overline: false,
  };
}
