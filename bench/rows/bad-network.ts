// Owns the rows of a bad network: a keystroke's way through a link of 80 ms and 1 MB/s that carries
// the flood of another terminal of the same viewer, wherever that link is.

import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost, p } from "../figures.ts";
import { SLOW_BYTES, SLOW_RTT_MS } from "../plan.ts";
import { ECHO_PROGRAM, FLOOD_PROGRAM } from "../programs.ts";
import type { Line } from "../remote.ts";
import { FREE, RemoteProduct } from "../remote.ts";
import { compact } from "../../protocol/compact.ts";

const KEYSTROKES = 30;
/** The flood fills whatever can be filled. */
const WARM_UP = 8;
const LIMIT_MS = SLOW_RTT_MS + 80;

const WHOLE: Line = { rttMs: SLOW_RTT_MS, bytesPerSecond: SLOW_BYTES };
const HALF: Line = { rttMs: SLOW_RTT_MS / 2, bytesPerSecond: SLOW_BYTES };

const PLACES = [
  { id: "viewer", what: "between relay and viewer", bridge: FREE, viewer: WHOLE },
  { id: "bridge", what: "between bridge and relay", bridge: WHOLE, viewer: FREE },
  { id: "both", what: "half of it on each side", bridge: HALF, viewer: HALF },
] as const;

export async function badNetworkRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { id, what, bridge, viewer } of PLACES) {
    const starting = RemoteProduct.start(bench.folder, bridge, viewer);
    const remote = await bench.own(starting, (one) => one.stop());
    try {
      const chain = remote.chain.seenBy({ acks: "sparing" });
      const answer = await bench.view(
        "echo",
        chain,
        [ECHO_PROGRAM, FLOOD_PROGRAM],
        (of, noise) => ({
          measure: "echo",
          of,
          samples: WARM_UP + KEYSTROKES,
          ...compact({ beside: noise }),
        }),
      );
      if (answer.measure !== "echo") throw new Error(`the viewer was ${answer.measure}`);
      const keys = answer.milliseconds.slice(WARM_UP);
      rows.push(...listRows(id, what, keys, answer.besideBytesPerSecond));
    } finally {
      await remote.stop();
    }
  }
  return rows;
}

function listRows(id: string, what: string, keys: readonly number[], flood: number): Row[] {
  const value = p(0.5, keys);
  const where = `80 ms, 1 MB/s ${what}`;
  return [
    {
      id: `bad-network-${id}`,
      what: `${where}: echo beside a flood, p50`,
      unit: "ms",
      figures: { product: { value, most: p(0.99, keys) } },
      target: atMost(LIMIT_MS, value, `≤ ${LIMIT_MS} ms`),
    },
    {
      id: `bad-network-${id}-flood`,
      what: `${where}: and the flood gets`,
      unit: "MB/s",
      figures: { product: { value: flood / 1e6 } },
    },
  ];
}
