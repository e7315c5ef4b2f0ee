// Owns the row of starting: from the command to its ready line, in a folder that has had one.

import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost, toFigure } from "../figures.ts";
import { Place } from "../../test/support/product.ts";

export async function startRows(bench: Bench): Promise<Row[]> {
  const again: number[] = [];
  for (let i = 0; i < bench.plan.starts; i++) {
    const place = new Place();
    try {
      await started(place);
      again.push(await started(place));
    } finally {
      await place[Symbol.asyncDispose]();
    }
  }
  const warm = toFigure(again);
  return [
    {
      id: "start-again",
      what: "ready, again in the folder",
      unit: "ms",
      figures: { product: warm },
      target: atMost(1_200, warm.value, "≤ 1.2 s"),
    },
  ];
}

async function started(place: Place): Promise<number> {
  const beganAt = performance.now();
  const product = await place.start();
  const milliseconds = performance.now() - beganAt;
  await product.stop();
  return milliseconds;
}
