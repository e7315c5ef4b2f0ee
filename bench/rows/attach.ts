// Owns the rows of coming late: what a viewer gets of a terminal that has printed 50 MB, and how soon.

import type { Bench } from "../bench.ts";
import { toViewed } from "../chain.ts";
import type { Row } from "../figures.ts";
import { atMost, toFigure } from "../figures.ts";
import { READY_MARK } from "../plan.ts";
import { printedProgram } from "../programs.ts";
import type { ViewerAnswer } from "../viewer/viewing.ts";

const TIMES = 12;

export async function attachRows(bench: Bench): Promise<Row[]> {
  const chain = (await bench.product()).seenBy();
  const { path, bytes } = bench.sample;
  const terminal = await chain.open(printedProgram(path));
  try {
    const of = toViewed(terminal);
    const whole = bytes + READY_MARK.length;
    const printed = await bench.viewer.ask<ViewerAnswer>({ measure: "bulk", of, bytes: whole });
    if ("error" in printed) throw new Error(printed.error);
    const [sizes, times]: number[][] = [[], []];
    for (let i = 0; i < TIMES; i++) {
      const answer = await bench.viewer.ask<ViewerAnswer>({ measure: "attach", of });
      if ("error" in answer || answer.measure !== "attach") throw new Error("no screen came");
      sizes?.push(answer.bytes / 1000);
      times?.push(answer.milliseconds);
    }
    const [size, time] = [toFigure(sizes ?? []), toFigure(times ?? [])];
    return [
      {
        id: "attach-bytes",
        what: "attach after 50 MB",
        unit: "KB",
        figures: { product: size },
        target: atMost(100, size.most, "≤ 100 KB"),
      },
      {
        id: "attach-ms",
        what: "attach after 50 MB, to the first screen",
        unit: "ms",
        figures: { product: time },
        target: atMost(50, time.value, "≤ 50 ms"),
      },
    ];
  } finally {
    await terminal.close();
  }
}
