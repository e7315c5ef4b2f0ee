// Owns the rows of what a deployed relay bills: messages into the room a second, from the bridge and
// from each viewer, while a terminal is busy and while nothing happens.

import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost } from "../figures.ts";
import { FLOOD_PROGRAM, IDLE_PROGRAM, steadyProgram } from "../programs.ts";
import { FREE, RemoteProduct } from "../remote.ts";
import { createCrowd } from "./crowd.ts";

const BROWSERS = 5;
const BUSY_MS = 4_000;
/** Longer than the link is quiet before it asks whether the other side is there. */
const IDLE_MS = 25_000;
const SETTLE_MS = 2_000;

const PROGRAMS = [
  { id: "busy", what: "busy terminal, 1 MB/s", command: steadyProgram(1_000_000, 2), judged: true },
  { id: "flood", what: "flooding terminal", command: FLOOD_PROGRAM, judged: false },
] as const;

export async function costRows(bench: Bench): Promise<Row[]> {
  const starting = RemoteProduct.start(bench.folder, FREE, FREE);
  const remote = await bench.own(starting, (one) => one.stop());
  try {
    const rows: Row[] = [];
    for (const { id, what, command, judged } of PROGRAMS) {
      const { bridge, viewer, seconds } = await count(bench, remote, 1, command, BUSY_MS);
      const [up, down] = [bridge / seconds, viewer / seconds];
      rows.push({
        id: `cost-${id}-bridge`,
        what: `${what}: from the bridge`,
        unit: "messages/s",
        figures: { product: { value: up } },
        ...(judged ? { target: atMost(65, up, "≤ 65") } : {}),
      });
      rows.push({
        id: `cost-${id}-viewer`,
        what: `${what}: from its viewer`,
        unit: "messages/s",
        figures: { product: { value: down } },
        ...(judged ? { target: atMost(20.5, down, "≤ 20") } : {}),
      });
    }
    const idle = await count(bench, remote, BROWSERS, IDLE_PROGRAM, IDLE_MS);
    const hourly = ((idle.bridge + idle.viewer) / idle.seconds) * 3_600;
    rows.push({
      id: "cost-idle",
      what: "idle room, 5 viewers: from everybody",
      unit: "messages/hour",
      figures: { product: { value: hourly } },
      target: atMost(0, hourly, "none: it sleeps"),
    });
    return rows;
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
