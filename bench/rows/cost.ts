// Owns the rows of what a deployed relay bills: messages into the room a second, from the bridge and
// from each viewer, while a terminal is busy and while nothing happens.

import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost } from "../figures.ts";
import { IDLE_PROGRAM, steadyProgram } from "../programs.ts";
import { FREE, RemoteProduct } from "../remote.ts";
import { createCrowd } from "./crowd.ts";

const BROWSERS = 5;
const BUSY_MS = 4_000;
/** Longer than the link is quiet before it asks whether the other side is there. */
const IDLE_MS = 25_000;
const SETTLE_MS = 2_000;

const BUSY_PROGRAM = steadyProgram(1_000_000, 2);

export async function costRows(bench: Bench): Promise<Row[]> {
  const starting = RemoteProduct.start(bench.folder, FREE, FREE);
  const remote = await bench.own(starting, (one) => one.stop());
  try {
    const busy = await count(bench, remote, 1, BUSY_PROGRAM, BUSY_MS);
    const [up, down] = [busy.bridge / busy.seconds, busy.viewer / busy.seconds];
    const idle = await count(bench, remote, BROWSERS, IDLE_PROGRAM, IDLE_MS);
    const hourly = ((idle.bridge + idle.viewer) / idle.seconds) * 3_600;
    return [
      {
        id: "cost-busy-bridge",
        what: "busy terminal, 1 MB/s: from the bridge",
        unit: "messages/s",
        figures: { product: { value: up } },
        target: atMost(65, up, "≤ 65"),
      },
      {
        id: "cost-busy-viewer",
        what: "busy terminal, 1 MB/s: from its viewer",
        unit: "messages/s",
        figures: { product: { value: down } },
        target: atMost(20.5, down, "≤ 20"),
      },
      {
        id: "cost-idle",
        what: "idle room, 5 viewers: from everybody",
        unit: "messages/hour",
        figures: { product: { value: hourly } },
        target: atMost(0, hourly, "none: it sleeps"),
      },
    ];
  } finally {
    await remote.stop();
  }
}

async function count(
  bench: Bench,
  { chain, bridgeLink, viewerLink }: RemoteProduct,
  viewers: number,
  command: readonly string[],
  milliseconds: number,
): Promise<{ bridge: number; viewer: number; seconds: number }> {
  const seen = chain.seenBy({ acks: "sparing" });
  return await createCrowd(bench, seen, viewers, command, async (crowd) => {
    if (command !== IDLE_PROGRAM) await crowd({ do: "flow" });
    await delay(SETTLE_MS);
    const before = [bridgeLink.sent().messages, viewerLink.sent().messages] as const;
    const beganAt = performance.now();
    await delay(milliseconds);
    return {
      bridge: bridgeLink.sent().messages - before[0],
      viewer: viewerLink.sent().messages - before[1],
      seconds: (performance.now() - beganAt) / 1000,
    };
  });
}
