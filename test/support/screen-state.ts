// Owns a headless terminal as plain values, to be compared cell by cell.

import type { Terminal } from "@xterm/headless";
import type { Grid, XtermInternals } from "../../bridge/screens/xterm-internals.ts";
import {
  Bg,
  CELL_WORDS,
  COLOR_BITS,
  COLOR_MODE,
  Content,
  getInternals,
} from "../../bridge/screens/xterm-internals.ts";

export function readState(terminal: Terminal) {
  const core = getInternals(terminal);
  const { normal, alt, active } = core._bufferService.buffers;
  const { _charsets, glevel } = core._charsetService;
  const { coreService, coreMouseService } = core;
  const { modes } = terminal;
  return {
    screen: {
      rows: readGrid(active, core),
      cursor: [active.x, active.y],
      pen: listAttributes(core._inputHandler._curAttrData, core),
    },
    below: active === alt ? readGrid(normal, core) : undefined,
    region: [active.scrollTop, active.scrollBottom],
    tabs: Object.keys(active.tabs)
      .map(Number)
      .filter((column) => column < terminal.cols),
    charsets: [0, 1, 2, 3].map((level) => _charsets[level]),
    glevel,
    modes: { ...modes },
    hidden: coreService.isCursorHidden,
    cursorStyle: coreService.decPrivateModes.cursorStyle,
    mouse: [coreMouseService.activeProtocol, coreMouseService.activeEncoding],
    newline: terminal.options.convertEol,
    title: core._inputHandler._windowTitle,
  };
}

/** As text, so that a difference is readable: a cell is its characters and what it looks like. */
function readGrid(grid: Grid, core: XtermInternals): string[] {
  const rows: string[] = [];
  for (let at = 0; at < grid.lines.length; at++) {
    const line = grid.lines.get(at);
    if (line === undefined) continue;
    let wide = false;
    let text = line.isWrapped ? "↩" : "";
    for (let column = 0; column < line.length; column++) {
      const content = line._data[column * CELL_WORDS] ?? 0;
      const fg = line._data[column * CELL_WORDS + 1] ?? 0;
      const bg = line._data[column * CELL_WORDS + 2] ?? 0;
      const width = content >>> Content.widthShift;
      const isEmpty = (content & Content.any) === 0;
      const characters =
        (content & Content.combined) === 0
          ? String.fromCodePoint(content & Content.codePoint)
          : (line._combined[column] ?? "");
      // Nothing is drawn of an empty cell but its background.
      const look = isEmpty
        ? colored(bg & COLOR_BITS).toString(16)
        : listAttributes({ fg, bg, extended: line._extendedAttrs[column] }, core);
      // The second half of a wide character, unless something else took the first.
      const isHalf = isEmpty && wide;
      wide = width === 2;
      text += `${isEmpty ? (isHalf ? "" : "∅") : characters}${width === 1 || isEmpty ? "" : width}${look === "0" ? "" : `<${look}>`}`;
    }
    rows.push(text);
  }
  return rows;
}

function listAttributes(
  {
    fg,
    bg,
    extended,
  }: {
    fg: number;
    bg: number;
    extended: { readonly _ext: number; readonly _urlId: number } | undefined;
  },
  core: XtermInternals,
): string {
  const link = core._oscLinkService.getLinkData(extended?._urlId ?? 0)?.uri;
  const isExtended = (bg & Bg.extended) !== 0;
  const parts = [
    colored(fg).toString(16),
    colored(bg & ~Bg.extended).toString(16),
    isExtended
      ? colored(extended?._ext ?? 0)
          .toString(16)
          .replace(/^0$/, "")
      : "",
    isExtended ? (link ?? "") : "",
  ];
  const text = parts.join(",");
  return text === "0,0,," ? "0" : text;
}

/** A palette's colour is its last byte; xterm leaves older ones above it. */
function colored(value: number): number {
  const mode = value & COLOR_MODE;
  const isPalette = mode === 0x100_0000 || mode === 0x200_0000;
  return (isPalette ? value & ~0xff_ff00 : value) >>> 0;
}
