// Owns the size of a picture of a screen: easy to read, and not larger than useful.

import type { PictureSource } from "./picture-cells.ts";
import { drawPicture } from "./draw.ts";
import { loadFont } from "./font.ts";
import { encodePng } from "./png.ts";

/** Vision models scale larger pictures down. */
const MAX_PIXELS = 1_600;

export async function renderPicture(source: PictureSource): Promise<Buffer> {
  const drawing = drawPicture(source, await loadFont());
  const scale = 2 * Math.max(drawing.width, drawing.height) <= MAX_PIXELS ? 2 : 1;
  return await encodePng(drawing, scale);
}
