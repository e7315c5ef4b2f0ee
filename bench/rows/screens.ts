// Owns the rows of screens as agents read them: the text of one and a picture of it, at 80×24, of a
// screen that is full of colours. In the bench's own process, with the bridge's emulator.

import { Emulator } from "../../bridge/screens/emulator.ts";
import { toScreenView } from "../../bridge/screens/screen-view.ts";
import { renderPicture } from "../../bridge/pictures/picture.ts";
import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost, toFigure } from "../figures.ts";

const SAMPLES = 60;
const WARM_UP = 10;

export async function screenRows(_bench: Bench): Promise<Row[]> {
  const emulator = new Emulator(80, 24);
  emulator.write(fullScreen());
  const snapshot = await timed(() => toScreenView(emulator.terminal, "", 0));
  const serialized = await timed(() => emulator.serialize());
  const picture = await timed(() => renderPicture(emulator.look()));
  emulator.dispose();
  return [
    row("screen-text", "screen as text, 80×24", snapshot, 2),
    row("screen-snapshot", "snapshot for a late viewer, 80×24", serialized, 2),
    row("screen-picture", "screen as a PNG, 80×24", picture, 60),
  ];
}

function row(id: string, what: string, samples: readonly number[], most: number): Row {
  const product = toFigure(samples);
  const target = atMost(most, product.value, `< ${most} ms`);
  return { id, what: `${what}, p50`, unit: "ms", figures: { product }, target };
}

async function timed(act: () => unknown): Promise<number[]> {
  const samples: number[] = [];
  for (let i = 0; i < WARM_UP + SAMPLES; i++) {
    const began = performance.now();
    await act();
    if (i >= WARM_UP) samples.push(performance.now() - began);
  }
  return samples;
}

/** As an editor with syntax colours fills it. */
function fullScreen(): string {
  const rows = Array.from({ length: 24 }, (_line, y) => {
    const words = Array.from(
      { length: 12 },
      (_word, at) => `\u001b[38;5;${(y * 12 + at) % 256}mword${at}\u001b[0m`,
    );
    return words.join(" ");
  });
  return rows.join("\r\n");
}
