// Owns the sequences (SGR, DECSCA, OSC 8) for a cell's style: the shortest change from one style to
// another.

import type { Attributes, Line } from "./xterm-internals.ts";
import { Bg, COLOR_BITS, COLOR_MODE, Fg } from "./xterm-internals.ts";

/** The numbers of xterm's attributes; `ext` is the underline's style and colour, `link` OSC 8's. */
export interface Style {
  fg: number;
  bg: number;
  ext: number;
  link: number;
}

export function createPlainStyle(): Style {
  return { fg: 0, bg: 0, ext: 0, link: 0 };
}

/** Flags with a code to set them; to clear one, `0` resets all and the rest is set again. */
const FG_FLAGS = [
  [Fg.bold, 1],
  [Fg.blink, 5],
  [Fg.inverse, 7],
  [Fg.invisible, 8],
  [Fg.strikethrough, 9],
] as const;
const BG_FLAGS = [
  [Bg.dim, 2],
  [Bg.italic, 3],
  [Bg.overline, 53],
] as const;
const UNDERLINE_SHIFT = 26;
const UNDERLINE_STYLE = 7;

export function getStyle(line: Line, column: number, fg: number, bg: number): Style {
  const extended = (bg & Bg.extended) === 0 ? undefined : line._extendedAttrs[column];
  return { fg, bg, ext: extended?._ext ?? 0, link: extended?._urlId ?? 0 };
}

export function getCursorStyle({ fg, bg, extended }: Attributes): Style {
  // An underline colour may be set for a later underline; the other fields count only if marked as
  // extended.
  if ((bg & Bg.extended) === 0) return { fg, bg, ext: extended._ext & COLOR_BITS, link: 0 };
  return { fg, bg, ext: extended._ext, link: extended._urlId };
}

/** Returns the style of an erased cell: only a background colour. */
export function toErasedStyle(bg: number): Style {
  return { fg: 0, bg: bg & COLOR_BITS, ext: 0, link: 0 };
}

/** Returns the sequences from one style to another; `link` returns those of a link. */
export function formatChange(from: Style, to: Style, link: (id: number) => string): string {
  let text = "";
  if (from.link !== to.link) text += link(to.link);
  if (from.fg !== to.fg || maskLook(from.bg) !== maskLook(to.bg) || from.ext !== to.ext) {
    text += `\x1b[${listCodes(from, to).join(";")}m`;
    if ((to.bg & Bg.protected) !== 0) text += '\x1b[1"q';
    return text;
  }
  if ((from.bg & Bg.protected) !== (to.bg & Bg.protected)) {
    text += (to.bg & Bg.protected) === 0 ? '\x1b["q' : '\x1b[1"q';
  }
  return text;
}

function maskLook(bg: number): number {
  return bg & ~(Bg.extended | Bg.protected);
}

function listCodes(from: Style, to: Style): (number | string)[] {
  const fgGone = from.fg & ~to.fg & ~COLOR_BITS;
  const bgGone = maskLook(from.bg) & ~maskLook(to.bg) & ~COLOR_BITS;
  const isReset = fgGone !== 0 || bgGone !== 0 || from.ext !== to.ext || isPlain(to);
  // SGR 0 also ends protection, which has no SGR code: `change` sets it again afterwards.
  const base = isReset ? createPlainStyle() : from;
  const sgrCodes: (number | string)[] = isReset ? [0] : [];
  for (const [flag, code] of FG_FLAGS) if ((to.fg & ~base.fg & flag) !== 0) sgrCodes.push(code);
  for (const [flag, code] of BG_FLAGS) if ((to.bg & ~base.bg & flag) !== 0) sgrCodes.push(code);
  if (isReset || (to.fg & ~base.fg & Fg.underline) !== 0) sgrCodes.push(...listUnderlineCodes(to));
  if ((base.fg & COLOR_BITS) !== (to.fg & COLOR_BITS)) sgrCodes.push(...listColorCodes(to.fg, 30));
  if ((base.bg & COLOR_BITS) !== (to.bg & COLOR_BITS)) sgrCodes.push(...listColorCodes(to.bg, 40));
  // A lone 0 needs no digit.
  return sgrCodes.length === 1 && sgrCodes[0] === 0 ? [] : sgrCodes;
}

function isPlain({ fg, bg, ext }: Style): boolean {
  return fg === 0 && maskLook(bg) === 0 && ext === 0;
}

function listUnderlineCodes({ fg, ext }: Style): (number | string)[] {
  const style = (ext >>> UNDERLINE_SHIFT) & UNDERLINE_STYLE;
  const sgrCodes: (number | string)[] = [];
  if (style > 1) sgrCodes.push(`4:${style}`);
  else if (style === 1 || (fg & Fg.underline) !== 0) sgrCodes.push(4);
  if ((ext & COLOR_BITS) !== 0) sgrCodes.push(...listColorCodes(ext, 50));
  return sgrCodes;
}

/** Returns the codes of a colour; `base` is 30, 40 or 50: foreground, background, underline. */
function listColorCodes(value: number, base: number): number[] {
  const number = value & 0xff;
  switch (value & COLOR_MODE) {
    case 0x100_0000:
      return [number < 8 ? base + number : base + 60 + number - 8];
    case 0x200_0000:
      return [base + 8, 5, number];
    case 0x300_0000:
      return [base + 8, 2, (value >>> 16) & 0xff, (value >>> 8) & 0xff, number];
    default:
      return [base + 9];
  }
}
