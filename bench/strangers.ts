// Owns the process that is a crowd of strangers: they come by both doors of a relay on loopback,
// without token or key, keep no rule, and stop by themselves at a bound.

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { giantMessage, createRandom, strangeMessage } from "../test/support/fuzz.ts";
import type { Random } from "../test/support/fuzz.ts";
import { strangeToken, Stranger } from "../test/support/stranger.ts";

export type StrangersRequest =
  | { readonly do: "come"; readonly port: number; readonly workspace: string }
  | { readonly do: "count" };

/** Of what was sent on sockets that were opened. */
export interface StrangersAnswer {
  readonly messages: number;
  readonly giants: number;
  readonly megabytes: number;
  readonly sockets: number;
  /** Dials that were answered without a socket. */
  readonly refused: number;
  readonly isOver: boolean;
}

/** At once; each is one connection at a time. */
const STRANGERS = 16;
const MESSAGES_A_SOCKET = 250;
/** Made before they come: the strangers' own work is not what is measured. */
const TALKS = 200;
const MAX_MESSAGES = 220_000;
const MAX_MS = 120_000;
/** Just below what the runtime takes; one of so many sockets sends it. */
const GIANT_BYTES = 31_000_000;
const GIANT_EVERY = 40;
/** Behind a refusal: whoever has two processors must leave some of them to the others. */
const REST_MS = 50;

let count = { messages: 0, giants: 0, megabytes: 0, sockets: 0, refused: 0, isOver: false };

export function runStrangers(): void {
  process.on("disconnect", () => process.exit(0));
  process.on("message", (request: StrangersRequest) => {
    if (request.do === "come") void come(request.port, request.workspace);
    process.send?.(count satisfies StrangersAnswer);
  });
}

async function come(port: number, workspace: string): Promise<void> {
  const giant = giantMessage(GIANT_BYTES);
  const made = createRandom(TALKS);
  const talks = Array.from({ length: TALKS }, () =>
    Buffer.concat(Array.from({ length: MESSAGES_A_SOCKET }, () => strangeMessage(made))),
  );
  const until = performance.now() + MAX_MS;
  const isOver = () => count.messages >= MAX_MESSAGES || performance.now() > until;
  const talkers = Array.from({ length: STRANGERS }, async (_none, number) => {
    const random = createRandom(number);
    while (!isOver()) await talk(port, workspace, random, { giant, talks });
  });
  await Promise.all(talkers);
  count = { ...count, isOver: true };
}

async function talk(
  port: number,
  workspace: string,
  random: Random,
  { giant, talks }: { giant: Buffer; talks: readonly Buffer[] },
): Promise<void> {
  const [path, protocols] = door(workspace, random);
  const stranger = new Stranger(port, path, { protocols });
  const status = await stranger.status;
  if (status !== 101) {
    count = { ...count, refused: count.refused + 1 };
    stranger.leave();
    return await delay(REST_MS);
  }
  const isGiant = random(GIANT_EVERY) === 0;
  const message = isGiant ? giant : (talks[random(TALKS)] ?? giant);
  count = {
    ...count,
    sockets: count.sockets + 1,
    giants: count.giants + (isGiant ? 1 : 0),
    messages: count.messages + (isGiant ? 1 : MESSAGES_A_SOCKET),
    megabytes: count.megabytes + message.length / 1e6,
  };
  await stranger.send(message);
  // Some stay to see whether they are cut off.
  if (random(4) === 0) await Promise.race([stranger.ended, delay(1_000)]);
  return stranger.leave();
}

function door(workspace: string, random: Random): [path: string, protocols: string[]] {
  const other = randomBytes(10).toString("hex");
  switch (random(5)) {
    case 0:
      return [`/w/${workspace}/bridge`, []];
    case 1:
      return [`/w/${other}/bridge`, []];
    case 2:
      return [`/parties/workspace/${workspace}`, ["pairpty.v1", strangeToken()]];
    case 3:
      return [`/parties/workspace/${other}`, ["pairpty.v1.raw", strangeToken()]];
    default:
      return [`/parties/workspace/${workspace}`, ["pairpty.v1"]];
  }
}
