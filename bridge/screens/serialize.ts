// Owns a screen as text: written to a fresh terminal of the same size it restores cells, cursor and
// modes. xterm's own addon omits much of that (scroll region, saved cursor, cursor style, charsets,
// underlines, links) and mixes up the styles of the two buffers. Also owns the modes of a screen as
// text: those that differ from a fresh terminal.

import type { Terminal } from "@xterm/headless";
import { KiB, MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import {
  CHARSETS,
  formatCharsets,
  designate,
  ALTERNATE_SCREEN,
  ENTER_ALTERNATE,
  formatMode,
  ORIGIN_MODE,
  SYNCHRONIZED_OUTPUT,
  CURSOR_SHOWN,
  INSERT_MODE,
  MOUSE_ENCODINGS,
  MOUSE_PROTOCOLS,
  NEWLINE_MODE,
  PRIVATE_MODES,
} from "../sequences/mode-table.ts";
import { formatChange, createPlainStyle, getCursorStyle } from "./cell-style.ts";
import type { Links } from "./rows.ts";
import { formatGrid, getCharacters, isPrintedOver, printOverHalf, getStyleAt } from "./rows.ts";
import type { Charset, Grid, XtermInternals, Line } from "./xterm-internals.ts";
import { CELL_WORDS, Content, getInternals } from "./xterm-internals.ts";

/** In UTF-8: it has to fit a frame, quoted as JSON or not. */
export const SNAPSHOT_BYTES = 90_000;

const BEGIN = formatMode(SYNCHRONIZED_OUTPUT, true);
const END = formatMode(SYNCHRONIZED_OUTPUT, false);

/** As JSON, which turns every ESC into six bytes; the rest of a frame is for other fields. */
const QUOTED_BYTES = MAX_FRAME_PAYLOAD - 4 * KiB;

/** Serializes with fewer lines above the screen until it fits; returns "" if it never does. */
export function serialize(terminal: Terminal, extra = ""): string {
  for (let maxBytes = SNAPSHOT_BYTES; maxBytes > 1 * KiB; maxBytes = Math.floor(maxBytes * 0.7)) {
    const text = serializeWithin(terminal, extra, maxBytes);
    const quoted = Buffer.byteLength(JSON.stringify(text));
    if (quoted <= QUOTED_BYTES && Buffer.byteLength(text) <= SNAPSHOT_BYTES) return text;
  }
  return "";
}

/** Serializes to at most `maxBytes`; `extra` is state outside xterm, such as colours. */
function serializeWithin(terminal: Terminal, extra: string, maxBytes: number): string {
  const core = getInternals(terminal);
  const { cols, rows } = terminal;
  const { normal, alt, active } = core._bufferService.buffers;
  const links = createLinks(core);
  const size = { cols, rows };
  // A program in the middle of a synchronized update shows the old content until it continues.
  const end = terminal.modes.synchronizedOutputMode ? END + BEGIN : END;
  const tail =
    formatCursor(terminal, core, active, links) + formatModes(terminal, core) + extra + end;
  const left = maxBytes - BEGIN.length - Buffer.byteLength(tail);
  if (active === normal) return BEGIN + formatGrid(normal, size, left, links) + tail;
  // The normal buffer is restored when the program leaves the alternate screen.
  const above = `${ENTER_ALTERNATE}\x1b[H${formatGrid(alt, size, left, links)}`;
  const below =
    formatRegion(normal, rows) + formatSavedCursor(normal) + (normal.scrollTop > 0 ? "\x1b[H" : "");
  const rest = left - Buffer.byteLength(above) - Buffer.byteLength(below);
  return BEGIN + formatGrid(normal, size, rest, links) + below + above + tail;
}

function formatCursor(terminal: Terminal, core: XtermInternals, grid: Grid, links: Links): string {
  const { cols, rows } = terminal;
  const origin = terminal.modes.originMode;
  const top = origin ? grid.scrollTop : 0;
  let text = formatTabs(grid, cols) + formatRegion(grid, rows) + formatSavedCursor(grid);
  if (origin) text += formatMode(ORIGIN_MODE, true);
  const isAlternate = grid === core._bufferService.buffers.alt;
  const position = formatPosition(grid, isAlternate, cols, top, links);
  const look = formatChange(
    createPlainStyle(),
    getCursorStyle(core._inputHandler._curAttrData),
    links,
  );
  const charsets = formatActiveCharsets(core);
  return (
    text +
    (isCharsetRestored(core, grid)
      ? `${charsets}\x1b8\x1b[m${position}${look}`
      : position + look + charsets)
  );
}

/** Whether ESC 8 changed the current charset but not its designation; only ESC 8 restores that. */
function isCharsetRestored({ _charsetService }: XtermInternals, { savedCharset }: Grid): boolean {
  const { charset, _charsets, glevel } = _charsetService;
  return charset !== _charsets[glevel] && charset === savedCharset;
}

/** Returns the cursor's position. The wait to wrap after the last column needs printing there. */
function formatPosition(grid: Grid, isAlternate: boolean, cols: number, top: number, links: Links) {
  const at = (x: number) => `\x1b[${grid.y - top + 1};${x + 1}H`;
  if (grid.x < cols) return at(grid.x);
  const line = grid.lines.get(grid.ybase + grid.y);
  if (line === undefined) return at(cols - 1);
  const isWide = getWidthAt(line, cols - 1) === 0 && getWidthAt(line, cols - 2) === 2;
  const last = isWide ? cols - 2 : cols - 1;
  const again = formatCell(line, last, links);
  const half = isPrintedOver(line, last) ? formatCell(line, last - 1, links) : undefined;
  if (again !== undefined && half !== undefined) return at(last - 1) + half + printOverHalf(again);
  if (again !== undefined) return at(last) + again;
  // The cell was erased since. The alternate buffer passes its cursor on when it is left, without
  // its cells.
  return isAlternate
    ? `${at(last)} `
    : `${ENTER_ALTERNATE}${at(last)} ${formatMode(ALTERNATE_SCREEN, false)}`;
}

/** Returns one printed cell; undefined for an empty one. */
function formatCell(line: Line, column: number, links: Links): string | undefined {
  const data = line._data;
  const content = data[column * CELL_WORDS] ?? 0;
  if ((content & Content.any) === 0) return undefined;
  const style = getStyleAt(line, column);
  return (
    formatChange(createPlainStyle(), style, links) +
    getCharacters(line, column) +
    formatChange(style, createPlainStyle(), links)
  );
}

function getWidthAt(line: Line, column: number): number {
  return (line._data[column * CELL_WORDS] ?? 0) >>> Content.widthShift;
}

function formatRegion({ scrollTop, scrollBottom }: Grid, rows: number): string {
  if (scrollTop === 0 && scrollBottom === rows - 1) return "";
  return `\x1b[${scrollTop + 1};${scrollBottom + 1}r`;
}

/** Returns the state that ESC 8 restores. */
function formatSavedCursor(grid: Grid): string {
  const { savedX, savedCurAttrData: saved, savedCharset } = grid;
  const row = Math.max(0, grid.savedY - grid.ybase);
  const style = { fg: saved.fg, bg: saved.bg, ext: 0, link: 0 };
  if (savedX === 0 && row === 0 && saved.fg === 0 && saved.bg === 0 && !savedCharset) return "";
  const charset = findCharsetName(savedCharset);
  const [to, back] = charset === undefined ? ["", ""] : [designate(0, charset), designate(0)];
  const look = formatChange(createPlainStyle(), style, () => "");
  const plainAgain = formatChange(style, createPlainStyle(), () => "");
  return `\x1b[${row + 1};${savedX + 1}H${look}${to}\x1b7${plainAgain}${back}`;
}

function formatTabs({ tabs }: Grid, cols: number): string {
  let usual = true;
  let stops = "";
  for (let column = 0; column < cols; column++) {
    const isStop = tabs[column] === true;
    if (isStop !== (column % 8 === 0)) usual = false;
    if (isStop) stops += `\x1b[${column + 1}G\x1bH`;
  }
  return usual ? "" : `\x1b[3g${stops}`;
}

function formatActiveCharsets({ _charsetService: { _charsets, glevel } }: XtermInternals): string {
  return formatCharsets(
    [0, 1, 2, 3].map((level) => findCharsetName(_charsets[level])),
    glevel,
  );
}

const charsetNames = new Map<Charset, string>();

/** Learns xterm's charset tables, which have no names, by designating each once. */
export function learnCharsets(scratch: Terminal): void {
  const core = getInternals(scratch);
  for (const name of CHARSETS) {
    void core._inputHandler.parse(designate(0, name));
    const { charset } = core._charsetService;
    if (charset !== undefined) charsetNames.set(charset, name);
  }
}

function findCharsetName(charset: Charset): string | undefined {
  return charset === undefined ? undefined : charsetNames.get(charset);
}

function createLinks(core: XtermInternals): Links {
  return (id) => {
    const link = id === 0 ? undefined : core._oscLinkService.getLinkData(id);
    if (link === undefined) return "\x1b]8;;\x1b\\";
    return `\x1b]8;${link.id === undefined ? "" : `id=${link.id}`};${link.uri}\x1b\\`;
  };
}

const CURSOR = { block: 2, underline: 4, bar: 6 } as const;

/** Returns the sequences of modes that do not move the cursor (origin and region do). */
export function formatModes(terminal: Terminal, core: XtermInternals): string {
  const { modes } = terminal;
  const { coreService, coreMouseService } = core;
  const { cursorStyle, cursorBlink } = coreService.decPrivateModes;
  let text = "";
  for (const { number, fresh, name } of PRIVATE_MODES) {
    if (name !== undefined && modes[name] !== fresh) text += formatMode(number, !fresh);
  }
  if (modes.insertMode) text += formatMode(INSERT_MODE, true, "");
  if (terminal.options.convertEol === true) text += formatMode(NEWLINE_MODE, true, "");
  const mouse = MOUSE_PROTOCOLS[coreMouseService.activeProtocol];
  if (mouse !== undefined) text += formatMode(mouse, true);
  const encoding = MOUSE_ENCODINGS[coreMouseService.activeEncoding];
  if (encoding !== undefined) text += formatMode(encoding, true);
  if (coreService.isCursorHidden) text += formatMode(CURSOR_SHOWN, false);
  if (cursorStyle !== undefined) {
    text += `\x1b[${CURSOR[cursorStyle] - (cursorBlink === true ? 1 : 0)} q`;
  }
  const title = core._inputHandler._windowTitle;
  return title === "" ? text : `${text}\x1b]2;${title}\x1b\\`;
}
