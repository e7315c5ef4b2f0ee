// Owns images in a terminal: reserves their cells and draws over them row by row, so that they scroll with their
// lines and disappear when those are erased or overwritten. Loaded with the first image.

import type { IDecoration, Terminal } from "@xterm/xterm";
import "./images.css";
import { parseInlineFile } from "./inline-file.ts";
import type { CellSize, AvailableSpace } from "./image-cells.ts";
import { MAX_HELD_PIXELS, MAX_PIXELS, toCells, fitRequestedSize } from "./image-cells.ts";
import { decodeSixel } from "./sixel.ts";

/** Fills an image's cells: a no-break space, which programs hardly print. */
const FILLER_CODE = 0xa0;

/** Cell size relative to the font size, for a hidden terminal, which cannot be measured. */
const USUAL_CELL_RATIO = { width: 0.6, height: 1.2 };

/** Timeout for decoding an image. */
const DECODE_TIMEOUT_MS = 3_000;

interface ImageRow {
  readonly term: Terminal;
  readonly decoration: IDecoration;
  readonly column: number;
  readonly pixels: number;
}

/** Image rows of all terminals of the page, oldest first. */
const imageRows: ImageRow[] = [];
const watchedTerminals = new WeakSet<Terminal>();

export function showSixel(term: Terminal, data: string): void {
  const picture = decodeSixel(data);
  const space = findAvailableSpace(term);
  if (!picture || !space) return;
  const { width, height, pixels } = picture;
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d")?.putImageData(new ImageData(pixels, width, height), 0, 0);
  placeImage(term, canvas, picture, space, false);
}

export async function showFile(term: Terminal, data: string): Promise<void> {
  const file = parseInlineFile(data);
  const space = findAvailableSpace(term);
  if (!file || !space || file.width * file.height > MAX_PIXELS) return;
  const blob = new Blob([file.bytes], { type: file.type });
  const late = new Promise<undefined>((resolve) => void setTimeout(resolve, DECODE_TIMEOUT_MS));
  const decoding = createImageBitmap(blob);
  const bitmap = await Promise.race([decoding, late]);
  if (!bitmap) return void decoding.then(closeBitmap, () => {});
  // Uses the decoded size: EXIF orientation may swap the sides.
  const size = fitRequestedSize(file.requested, bitmap, space);
  if (bitmap.width * bitmap.height <= MAX_PIXELS) placeImage(term, bitmap, size, space, true);
  bitmap.close();
}

/** Frees an image that was decoded after the timeout. */
function closeBitmap(bitmap: ImageBitmap): void {
  bitmap.close();
}

function findAvailableSpace(term: Terminal): AvailableSpace | undefined {
  const screen = term.element?.querySelector<HTMLElement>(".xterm-screen");
  const { active } = term.buffer;
  // The alternate screen has no scrolling lines to attach an image to.
  if (!screen || active.type !== "normal") return undefined;
  const font = term.options.fontSize ?? 0;
  const cell = {
    width: screen.clientWidth / term.cols || font * USUAL_CELL_RATIO.width,
    height: screen.clientHeight / term.rows || font * USUAL_CELL_RATIO.height,
  };
  const columns = term.cols - Math.min(active.cursorX, term.cols - 1);
  return { cell, columns, rows: term.rows };
}

/** Draws an image of `size` CSS px at the cursor, which ends after a file and at the left edge of a sixel. */
function placeImage(
  term: Terminal,
  source: CanvasImageSource,
  size: { readonly width: number; readonly height: number },
  space: AvailableSpace,
  isBehind: boolean,
): void {
  const handler = findInputHandler(term);
  if (!handler) return;
  const cells = toCells(size, space);
  const column = Math.min(term.buffer.active.cursorX, term.cols - 1);
  const filling = new Uint32Array(cells.columns).fill(FILLER_CODE);
  for (let row = 0; row < cells.rows; row++) {
    if (row > 0) {
      handler.lineFeed();
      handler.cursorCharAbsolute({ params: [column + 1] });
    }
    handler.print(filling, 0, filling.length);
    addImageRow(term, source, size, space, { row, column, cells });
  }
  if (!isBehind) handler.cursorCharAbsolute({ params: [column + 1] });
  evictOldest();
}

function addImageRow(
  term: Terminal,
  source: CanvasImageSource,
  size: { readonly width: number; readonly height: number },
  { cell }: AvailableSpace,
  at: { readonly row: number; readonly column: number; readonly cells: CellSize },
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
  const imageRow = { term, decoration, column: at.column, pixels };
  imageRows.push(imageRow);
  decoration.onDispose(() => {
    const index = imageRows.indexOf(imageRow);
    if (index >= 0) imageRows.splice(index, 1);
  });
  removeOverwritten(term);
  return undefined;
}

function evictOldest(): void {
  let all = imageRows.reduce((sum, { pixels }) => sum + pixels, 0);
  while (all > MAX_HELD_PIXELS) {
    const [oldest] = imageRows;
    if (!oldest) return;
    all -= oldest.pixels;
    oldest.decoration.dispose();
    oldest.decoration.marker.dispose();
  }
}

/** Removes image rows that were erased or overwritten; only lines on the screen can change. */
function removeOverwritten(term: Terminal): void {
  if (watchedTerminals.has(term)) return;
  watchedTerminals.add(term);
  term.onWriteParsed(() => {
    const { normal } = term.buffer;
    for (const imageRow of imageRows.filter((one) => one.term === term)) {
      const { line } = imageRow.decoration.marker;
      if (line < normal.baseY) continue;
      const kept = normal.getLine(line)?.getCell(imageRow.column)?.getCode();
      if (kept !== FILLER_CODE) imageRow.decoration.dispose();
    }
  });
}

interface InputHandler {
  print(data: Uint32Array, start: number, end: number): void;
  lineFeed(): void;
  cursorCharAbsolute(counted: { readonly params: number[] }): void;
}

/** Returns xterm's internal input handler, since a parser hook has no API to print; undefined if xterm changed. */
function findInputHandler(term: Terminal & { _core?: unknown }): InputHandler | undefined {
  const core: unknown = term._core;
  const handler: unknown = isObject(core) ? Reflect.get(core, "_inputHandler") : undefined;
  return isInputHandler(handler) ? handler : undefined;
}

function isInputHandler(value: unknown): value is InputHandler {
  const names = ["print", "lineFeed", "cursorCharAbsolute"];
  return isObject(value) && names.every((name) => typeof Reflect.get(value, name) === "function");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
