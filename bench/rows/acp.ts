// Owns the row of coding agents: a command from `terminal/create` to `terminal/release`, through the
// relay and, in turns, over the SDK's own socket on loopback.

import { WebSocket } from "ws";
import { Loopback } from "../acp/loopback.ts";
import { MeasuringAgent } from "../acp/rounds.ts";
import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost } from "../figures.ts";
import { ACP_BLOCK, ACP_BLOCKS, ACP_P50_AT_MOST_MS, ACP_WARM_UP } from "../plan.ts";
import { percentile } from "../statistics.ts";

export async function acpRows(bench: Bench): Promise<Row[]> {
  const { product } = await bench.product();
  const { endpoints, tokens } = product.ready;
  const headers = { authorization: `Bearer ${tokens.agent}` };
  const relay = new MeasuringAgent(new WebSocket(endpoints.acp, { headers }));
  const loopback = await Loopback.start(bench.folder);
  try {
    await relay.ready();
    const sides = { product: relay, bare: loopback.agent };
    const samples = { product: [] as number[], bare: [] as number[] };
    for (const side of [relay, loopback.agent]) {
      for (let round = 0; round < ACP_WARM_UP; round++) await side.round();
    }
    for (let block = 0; block < ACP_BLOCKS; block++) {
      for (const name of ["product", "bare"] as const) {
        for (let round = 0; round < ACP_BLOCK; round++) {
          samples[name].push(await sides[name].round());
        }
      }
    }
    return [toRow(samples)];
  } finally {
    relay.close();
    loopback.stop();
  }
}

function toRow(samples: Readonly<Record<"product" | "bare", readonly number[]>>): Row {
  const figure = (some: readonly number[]) => ({
    value: percentile(some, 0.5),
    most: percentile(some, 0.99),
  });
  const product = figure(samples.product);
  return {
    id: "acp-rounds",
    what: "coding agent: create, wait, output, release of echo, p50",
    unit: "ms",
    figures: { product, bare: figure(samples.bare) },
    target: atMost(ACP_P50_AT_MOST_MS, product.value, `≤ ${ACP_P50_AT_MOST_MS} ms`),
    note: "the column of the bare chain is the SDK's own socket on loopback, with pipes and no relay",
  };
}
