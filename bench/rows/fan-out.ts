// Owns the rows of the room alone: messages of one size from one link to 50 viewers, beside a Durable
// Object that does nothing else.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atLeast, summarize, getRatio } from "../figures.ts";
import type { SourceAddress } from "../room-source.ts";
import { SOURCE_ID } from "../room-source.ts";
import type { CrowdAnswer, CrowdRequest } from "../viewer/crowd.ts";
import type { Viewed } from "../viewer/viewing.ts";
import { compact } from "../../protocol/compact.ts";

const VIEWERS = 50;

/** A burst is over in a second, and one in three is off by a fifth. */
const ROUNDS_EACH = 3;

const SIZES = [
  { name: "1 KB", bytes: 1_000, messages: 3_000, share: 0.9 },
  { name: "16 KB", bytes: 16_000, messages: 400, share: 0.65 },
] as const;

interface Room {
  readonly viewed: Viewed;
  /** Once all of them are there. */
  readonly gather: () => Promise<void>;
  readonly burst: (messages: number, bytes: number) => Promise<void>;
}

export async function fanOutRows(bench: Bench): Promise<Row[]> {
  const bare = await bench.bare();
  const source = bench.role("room-source", mkdtempSync(join(bench.folder, "room-")));
  const { url, protocols } = await source.received<SourceAddress>();
  const viewed = { id: SOURCE_ID } as const;
  const rooms: Readonly<Record<string, Room>> = {
    product: {
      viewed: { ...viewed, url, protocols, dialect: "raw", acks: "eager" },
      gather: () => source.ask({ do: "gather", viewers: VIEWERS }),
      burst: (messages, bytes) => source.ask({ do: "burst", messages, bytes }),
    },
    bare: {
      viewed: { ...viewed, url: bare.viewerUrl, protocols: [], dialect: "bytes", acks: "never" },
      gather: () => Promise.resolve(),
      burst: (messages, bytes) => bare.burst(messages, bytes),
    },
  };
  const rows: Row[] = [];
  for (const { name, share, ...size } of SIZES) {
    const rounds = new Map<string, number[]>([
      ["product", []],
      ["bare", []],
    ]);
    for (let round = 0; round < ROUNDS_EACH * bench.plan.rounds; round++) {
      const order = Object.entries(rooms);
      for (const [chain, room] of round % 2 === 0 ? order : order.toReversed()) {
        rounds.get(chain)?.push(await deliveries(bench, room, size));
      }
    }
    const ratio = getRatio(rounds);
    rows.push({
      id: `fan-out-${size.bytes}`,
      what: `the room alone, 50 viewers, ${name}`,
      unit: "messages/s",
      figures: summarize(rounds),
      ...compact({ ratio }),
      target: atLeast(share, ratio?.median, `≥ ${share}x bare`),
    });
  }
  await source.end();
  return rows;
}

async function deliveries(
  bench: Bench,
  { viewed, gather, burst }: Room,
  { messages, bytes }: { messages: number; bytes: number },
): Promise<number> {
  const crowd = async (request: CrowdRequest) => {
    const answer = await bench.crowd.ask<CrowdAnswer>(request);
    if ("error" in answer) throw new Error(`${viewed.dialect}, ${bytes} bytes: ${answer.error}`);
    return answer;
  };
  await crowd({ do: "open", of: viewed, viewers: VIEWERS, attach: "none" });
  await gather();
  const arrived = crowd({ do: "reach", bytes: messages * bytes });
  await burst(messages, bytes);
  const answer = await arrived;
  await crowd({ do: "close" });
  return answer.messages / (answer.milliseconds / 1000);
}
