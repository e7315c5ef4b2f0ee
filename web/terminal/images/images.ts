// Owns images in a terminal: reserves their cells and draws over them row by row, so that they scroll with their
// lines and disappear when those are erased or overwritten. Loaded with the first image.

import type { IDecoration, Terminal } from "@xterm/xterm";
import "./images.css";
import { readInlineFile } from "./inline-file.ts";
import { MOST_HELD_PIXELS, MOST_PIXELS } from "./limits.ts";
import type { Cells, Room } from "./placing.ts";
import { cellsOf, wishedSize } from "./placing.ts";
import { decodeSixel } from "./sixel.ts";

/** Fills an image's cells: a no-break space, which programs hardly print. */
const FILLER = 0xa0;

/** Cell size relative to the font size, for a hidden terminal, which cannot be measured. */
const USUAL = { width: 0.6, height: 1.2 };

/** Timeout for decoding an image. */
const UNPACK_MS = 3_000;

interface Slice {
  readonly term: Terminal;
  readonly decoration: IDecoration;
  readonly column: number;
  readonly pixels: number;
}

/** Image rows of all terminals of the page, oldest first. */
const held: Slice[] = [];
const watched = new WeakSet<Terminal>();

export function showSixel(term: Terminal, data: string): void {
  const picture = decodeSixel(data);
  const room = roomOf(term);
  if (!picture || !room) return;
  const { width, height, pixels } = picture;
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d")?.putImageData(new ImageData(pixels, width, height), 0, 0);
  place(term, canvas, picture, room, false);
}

export async function showFile(term: Terminal, data: string): Promise<void> {
  const file = readInlineFile(data);
  const room = roomOf(term);
  if (!file || !room || file.width * file.height > MOST_PIXELS) return;
  const blob = new Blob([file.bytes], { type: file.type });
  const late = new Promise<undefined>((resolve) => void setTimeout(resolve, UNPACK_MS));
  const unpacking = createImageBitmap(blob);
  const bitmap = await Promise.race([unpacking, late]);
  if (!bitmap) return void unpacking.then(forget, () => {});
  // Uses the decoded size: EXIF orientation may swap the sides.
  const size = wishedSize(file.wish, bitmap, room);
  if (bitmap.width * bitmap.height <= MOST_PIXELS) place(term, bitmap, size, room, true);
  bitmap.close();
}

/** Frees an image that was decoded after the timeout. */
function forget(bitmap: ImageBitmap): void {
  bitmap.close();
}

function roomOf(term: Terminal): Room | undefined {
  const screen = term.element?.querySelector<HTMLElement>(".xterm-screen");
  const { active } = term.buffer;
  // The alternate screen has no scrolling lines to attach an image to.
  if (!screen || active.type !== "normal") return undefined;
  const font = term.options.fontSize ?? 0;
  const cell = {
    width: screen.clientWidth / term.cols || font * USUAL.width,
    height: screen.clientHeight / term.rows || font * USUAL.height,
  };
  const columns = term.cols - Math.min(active.cursorX, term.cols - 1);
  return { cell, columns, rows: term.rows };
}

/** Draws an image of `size` CSS px at the cursor, which ends after a file and at the left edge of a sixel. */
function place(
  term: Terminal,
  source: CanvasImageSource,
  size: { readonly width: number; readonly height: number },
  room: Room,
  isBehind: boolean,
): void {
  const handler = handlerOf(term);
  if (!handler) return;
  const cells = cellsOf(size, room);
  const column = Math.min(term.buffer.active.cursorX, term.cols - 1);
  const filling = new Uint32Array(cells.columns).fill(FILLER);
  for (let row = 0; row < cells.rows; row++) {
    if (row > 0) {
      handler.lineFeed();
      handler.cursorCharAbsolute({ params: [column + 1] });
    }
    handler.print(filling, 0, filling.length);
    addSlice(term, source, size, room, { row, column, cells });
  }
  if (!isBehind) handler.cursorCharAbsolute({ params: [column + 1] });
  makeWay();
}

function addSlice(
  term: Terminal,
  source: CanvasImageSource,
  size: { readonly width: number; readonly height: number },
  { cell }: Room,
  at: { readonly row: number; readonly column: number; readonly cells: Cells },
): void {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(at.cells.columns * cell.width);
  canvas.height = Math.round(cell.height);
  canvas.className = "picture";
  const context = canvas.getContext("2d");
  const marker = term.registerMarker(0);
  const decoration =
    context &&
    term.registerDecoration({ marker, x: at.column, width: at.cells.columns, height: 1 });
  if (!decoration) return marker.dispose();
  context.drawImage(source, 0, -at.row * cell.height, size.width, size.height);
  decoration.onRender((element) => {
    if (canvas.parentElement === element) return;
    element.classList.add("picture-row");
    element.replaceChildren(canvas);
  });
  const pixels = canvas.width * canvas.height;
  const slice = { term, decoration, column: at.column, pixels };
  held.push(slice);
  decoration.onDispose(() => {
    const index = held.indexOf(slice);
    if (index >= 0) held.splice(index, 1);
  });
  watch(term);
  return undefined;
}

function makeWay(): void {
  let all = held.reduce((sum, { pixels }) => sum + pixels, 0);
  while (all > MOST_HELD_PIXELS) {
    const [oldest] = held;
    if (!oldest) return;
    all -= oldest.pixels;
    oldest.decoration.dispose();
    oldest.decoration.marker.dispose();
  }
}

/** Removes image rows that were erased or overwritten; only lines on the screen can change. */
function watch(term: Terminal): void {
  if (watched.has(term)) return;
  watched.add(term);
  term.onWriteParsed(() => {
    const { normal } = term.buffer;
    for (const slice of held.filter((one) => one.term === term)) {
      const { line } = slice.decoration.marker;
      if (line < normal.baseY) continue;
      const kept = normal.getLine(line)?.getCell(slice.column)?.getCode();
      if (kept !== FILLER) slice.decoration.dispose();
    }
  });
}

interface Handler {
  print(data: Uint32Array, start: number, end: number): void;
  lineFeed(): void;
  cursorCharAbsolute(counted: { readonly params: number[] }): void;
}

/** Returns xterm's internal input handler, since a parser hook has no API to print; undefined if xterm changed. */
function handlerOf(term: Terminal & { _core?: unknown }): Handler | undefined {
  const core: unknown = term._core;
  const handler: unknown = isObject(core) ? Reflect.get(core, "_inputHandler") : undefined;
  return isHandler(handler) ? handler : undefined;
}

function isHandler(value: unknown): value is Handler {
  const names = ["print", "lineFeed", "cursorCharAbsolute"];
  return isObject(value) && names.every((name) => typeof Reflect.get(value, name) === "function");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
