// Owns how fast output comes to a plain client that types and acks: every 128 KiB and at no other
// time, as docs/protocol.md says will do, against one that acks by the clock too.

import { ACK_BYTES, ACK_MS } from "../../protocol/limits.ts";
import type { Product } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";

const FLOOD_MIB = 24;
const FLOOD = ["/bin/sh", "-c", `read -r go; head -c ${FLOOD_MIB << 20} /dev/zero | tr '\\0' x`];

/** Below it is noise. One stall of 5 s is beyond it. */
export const MAX_SLOWER = 1.5;

/** How many times as long it takes by bytes alone: the best of so many against the best. */
export async function slowerByBytes(product: Product, pairs: number): Promise<number> {
  const [timed, byBytes]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    timed.push(await flooded(product, true));
    byBytes.push(await flooded(product, false));
  }
  return Math.min(...byBytes) / Math.min(...timed);
}

/** Milliseconds from the typed word to the exit. */
async function flooded(product: Product, hasTimer: boolean): Promise<number> {
  const { endpoints, tokens } = product.ready;
  using client = await PlainClient.connect(endpoints.peer, tokens.edit);
  const { id } = await product.open({ command: FLOOD });
  let [acked, next] = [0, 0];
  const ack = () => {
    if (next === acked) return;
    acked = next;
    client.send({ type: "pty:ack", id, offset: next });
  };
  client.attach(id);
  ({ next = 0 } = await client.ofType("pty:attached"));
  // From now on it acks, and is waited for.
  client.send({ type: "pty:ack", id, offset: next });
  acked = next;
  client.onMessage = (message) => {
    if (message.type === "pairpty:ping") client.send({ ...message, type: "pairpty:pong" });
    if (message.type !== "pty:output") return;
    next = message.next ?? next;
    if (next - acked >= ACK_BYTES) ack();
  };
  const timer = hasTimer ? setInterval(ack, ACK_MS) : undefined;
  try {
    const began = performance.now();
    client.type(id, "go\r");
    await client.message(({ type }) => type === "pty:exit", "the flood's end");
    return performance.now() - began;
  } finally {
    clearInterval(timer);
  }
}
