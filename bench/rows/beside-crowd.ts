// Owns the row of a person who types into one terminal while another floods 50 viewers.

import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost, p } from "../figures.ts";
import { ECHO_WARM_UP } from "../plan.ts";
import { ECHO_PROGRAM, FLOOD_PROGRAM } from "../programs.ts";
import { createCrowd } from "./crowd.ts";

const VIEWERS = 50;

export async function besideCrowdRows(bench: Bench): Promise<Row[]> {
  const chain = (await bench.product()).seenBy();
  const samples = await createCrowd(bench, chain, VIEWERS, FLOOD_PROGRAM, async (crowd) => {
    await crowd({ do: "flow" });
    const answer = await bench.view("echo", chain, [ECHO_PROGRAM], (of) => ({
      measure: "echo",
      of,
      samples: ECHO_WARM_UP + bench.plan.keystrokes,
    }));
    return answer.measure === "echo" ? answer.milliseconds.slice(ECHO_WARM_UP) : [];
  });
  const what = "input beside 50 viewers of a flood";
  const p50 = p(0.5, samples);
  return [
    {
      id: "beside-crowd-p50",
      what: `${what}, p50`,
      unit: "ms",
      figures: { product: { value: p50 } },
      target: atMost(15, p50, "≤ 15 ms"),
    },
  ];
}
