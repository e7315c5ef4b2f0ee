// Owns how large a picture of a screen is: as large as can be read well, and no larger than is useful.

import type { PictureSource } from "./cells.ts";
import { draw } from "./draw.ts";
import { loadFont } from "./font.ts";
import { encodePng } from "./png.ts";

/** Models that see scale larger pictures down before they look. */
const MOST_PIXELS = 1_600;

export async function pictureOf(source: PictureSource): Promise<Buffer> {
  const drawing = draw(source, await loadFont());
  const scale = 2 * Math.max(drawing.width, drawing.height) <= MOST_PIXELS ? 2 : 1;
  return await encodePng(drawing, scale);
}
