// Owns a screen as text: written to a fresh terminal of the same size it restores cells, cursor and
// modes. xterm's own addon omits much of that (scroll region, saved cursor, cursor style, charsets,
// underlines, links) and mixes up the styles of the two buffers.

import type { Terminal } from "@xterm/headless";
import { KiB, MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { CHARSETS, charsetsText, designate } from "../sequences/charsets.ts";
import {
  ALTERNATE,
  ENTER_ALTERNATE,
  modeText,
  ORIGIN,
  SYNCHRONIZED,
} from "../sequences/mode-table.ts";
import { gridText } from "./grid.ts";
import type { Charset, Grid, Inside, Line } from "./inside.ts";
import { CELL, Content, inside } from "./inside.ts";
import { modesText } from "./mode-text.ts";
import type { Links } from "./rows.ts";
import { characters, isPrintedOver, overHalf, styleAt } from "./rows.ts";
import { change, plain, styleOfCursor } from "./style.ts";

/** In UTF-8: it has to fit a frame, quoted as JSON or not. */
export const SNAPSHOT_BYTES = 90_000;

const BEGIN = modeText(SYNCHRONIZED, true);
const END = modeText(SYNCHRONIZED, false);

/** As JSON, which turns every ESC into six bytes; the rest of a frame is for other fields. */
const QUOTED_BYTES = MAX_FRAME_PAYLOAD - 4 * KiB;

/** Serializes with fewer lines above the screen until it fits; returns "" if it never does. */
export function serialize(terminal: Terminal, extra = ""): string {
  for (let most = SNAPSHOT_BYTES; most > 1 * KiB; most = Math.floor(most * 0.7)) {
    const text = serializeWithin(terminal, extra, most);
    const quoted = Buffer.byteLength(JSON.stringify(text));
    if (quoted <= QUOTED_BYTES && Buffer.byteLength(text) <= SNAPSHOT_BYTES) return text;
  }
  return "";
}

/** Serializes in at most `most` bytes; `extra` is state outside xterm, such as colours. */
function serializeWithin(terminal: Terminal, extra: string, most: number): string {
  const core = inside(terminal);
  const { cols, rows } = terminal;
  const { normal, alt, active } = core._bufferService.buffers;
  const links = linksOf(core);
  const size = { cols, rows };
  // A program in the middle of a synchronized update shows the old content until it continues.
  const end = terminal.modes.synchronizedOutputMode ? END + BEGIN : END;
  const tail = cursorText(terminal, core, active, links) + modesText(terminal, core) + extra + end;
  const left = most - BEGIN.length - Buffer.byteLength(tail);
  if (active === normal) return BEGIN + gridText(normal, size, left, links) + tail;
  // The normal buffer is restored when the program leaves the alternate screen.
  const above = `${ENTER_ALTERNATE}\x1b[H${gridText(alt, size, left, links)}`;
  const below =
    regionText(normal, rows) + savedText(normal) + (normal.scrollTop > 0 ? "\x1b[H" : "");
  const rest = left - Buffer.byteLength(above) - Buffer.byteLength(below);
  return BEGIN + gridText(normal, size, rest, links) + below + above + tail;
}

function cursorText(terminal: Terminal, core: Inside, grid: Grid, links: Links): string {
  const { cols, rows } = terminal;
  const origin = terminal.modes.originMode;
  const top = origin ? grid.scrollTop : 0;
  let text = tabsText(grid, cols) + regionText(grid, rows) + savedText(grid);
  if (origin) text += modeText(ORIGIN, true);
  const isAlternate = grid === core._bufferService.buffers.alt;
  const place = placeText(grid, isAlternate, cols, top, links);
  const look = change(plain(), styleOfCursor(core._inputHandler._curAttrData), links);
  const charsets = charsetsOf(core);
  return (
    text +
    (isRestored(core, grid) ? `${charsets}\x1b8\x1b[m${place}${look}` : place + look + charsets)
  );
}

/** Whether ESC 8 changed the current charset but not its designation; only ESC 8 restores that. */
function isRestored({ _charsetService }: Inside, { savedCharset }: Grid): boolean {
  const { charset, _charsets, glevel } = _charsetService;
  return charset !== _charsets[glevel] && charset === savedCharset;
}

/** Returns the cursor's position. The wait to wrap after the last column needs printing there. */
function placeText(grid: Grid, isAlternate: boolean, cols: number, top: number, links: Links) {
  const at = (x: number) => `\x1b[${grid.y - top + 1};${x + 1}H`;
  if (grid.x < cols) return at(grid.x);
  const line = grid.lines.get(grid.ybase + grid.y);
  if (line === undefined) return at(cols - 1);
  const isWide = widthAt(line, cols - 1) === 0 && widthAt(line, cols - 2) === 2;
  const last = isWide ? cols - 2 : cols - 1;
  const again = cellText(line, last, links);
  const half = isPrintedOver(line, last) ? cellText(line, last - 1, links) : undefined;
  if (again !== undefined && half !== undefined) return at(last - 1) + half + overHalf(again);
  if (again !== undefined) return at(last) + again;
  // The cell was erased since. The alternate buffer passes its cursor on when it is left, without
  // its cells.
  return isAlternate
    ? `${at(last)} `
    : `${ENTER_ALTERNATE}${at(last)} ${modeText(ALTERNATE, false)}`;
}

/** Returns one printed cell; undefined for an empty one. */
function cellText(line: Line, column: number, links: Links): string | undefined {
  const data = line._data;
  const content = data[column * CELL] ?? 0;
  if ((content & Content.any) === 0) return undefined;
  const style = styleAt(line, column);
  return change(plain(), style, links) + characters(line, column) + change(style, plain(), links);
}

function widthAt(line: Line, column: number): number {
  return (line._data[column * CELL] ?? 0) >>> Content.widthShift;
}

function regionText({ scrollTop, scrollBottom }: Grid, rows: number): string {
  if (scrollTop === 0 && scrollBottom === rows - 1) return "";
  return `\x1b[${scrollTop + 1};${scrollBottom + 1}r`;
}

/** Returns the state that ESC 8 restores. */
function savedText(grid: Grid): string {
  const { savedX, savedCurAttrData: saved, savedCharset } = grid;
  const row = Math.max(0, grid.savedY - grid.ybase);
  const style = { fg: saved.fg, bg: saved.bg, ext: 0, link: 0 };
  if (savedX === 0 && row === 0 && saved.fg === 0 && saved.bg === 0 && !savedCharset) return "";
  const charset = charsetName(savedCharset);
  const [to, back] = charset === undefined ? ["", ""] : [designate(0, charset), designate(0)];
  const look = change(plain(), style, () => "");
  const plainAgain = change(style, plain(), () => "");
  return `\x1b[${row + 1};${savedX + 1}H${look}${to}\x1b7${plainAgain}${back}`;
}

function tabsText({ tabs }: Grid, cols: number): string {
  let usual = true;
  let stops = "";
  for (let column = 0; column < cols; column++) {
    const isStop = tabs[column] === true;
    if (isStop !== (column % 8 === 0)) usual = false;
    if (isStop) stops += `\x1b[${column + 1}G\x1bH`;
  }
  return usual ? "" : `\x1b[3g${stops}`;
}

function charsetsOf({ _charsetService: { _charsets, glevel } }: Inside): string {
  return charsetsText(
    [0, 1, 2, 3].map((level) => charsetName(_charsets[level])),
    glevel,
  );
}

const charsetNames = new Map<Charset, string>();

/** Learns xterm's charset tables, which have no names, by designating each once. */
export function learnCharsets(scratch: Terminal): void {
  const core = inside(scratch);
  for (const name of CHARSETS) {
    void core._inputHandler.parse(designate(0, name));
    const { charset } = core._charsetService;
    if (charset !== undefined) charsetNames.set(charset, name);
  }
}

function charsetName(charset: Charset): string | undefined {
  return charset === undefined ? undefined : charsetNames.get(charset);
}

function linksOf(core: Inside): Links {
  return (id) => {
    const link = id === 0 ? undefined : core._oscLinkService.getLinkData(id);
    if (link === undefined) return "\x1b]8;;\x1b\\";
    return `\x1b]8;${link.id === undefined ? "" : `id=${link.id}`};${link.uri}\x1b\\`;
  };
}
