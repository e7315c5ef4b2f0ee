// View links that attach again and again from the first byte, through the real relay: what it costs
// the bridge, and whether others are served meanwhile.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { KiB, MiB } from "../../protocol/limits.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { RawClient } from "../support/raw-client.ts";
import { PlainClient } from "../support/plain-client.ts";

let place: Place;
let product: Product;

beforeAll(async () => {
  place = new Place();
  product = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

const TAKERS = 10;
const TERMINALS = 4;
/** Attaches of each taker to each terminal; an echo of the owner's comes between two of them. */
const ROUNDS = 120;
/** Three full buffers and the garbage of making them text: three times what was measured. */
const MAX_GROWTH = 96 * MiB;

const PRINTS = ["/bin/sh", "-c", "head -c 2000000 /dev/zero | tr '\\0' x; printf end; exec cat"];

test.skipIf(process.platform !== "linux").each([true, false])(
  "V14 V15 attaches from the first byte without end leave the bridge its memory and the owner the echo (raw: %s)",
  async (raw) => {
    const { endpoints, tokens } = product.ready;
    const connect = async () => {
      if (raw) return await RawClient.connect(endpoints.peer, tokens.view, { keep: false });
      const plain = await PlainClient.connect(endpoints.peer, tokens.view);
      // It reads, and proves it.
      plain.onMessage = ({ type, n }) => {
        if (type === "pairpty:ping") plain.send({ type: "pairpty:pong", n });
        // Not kept: it would be the test that has no memory left.
        if (type === "pty:output") plain.messages.length = 0;
      };
      return plain;
    };
    using owner = await RawClient.connect(endpoints.peer, tokens.edit);
    const terminals: { id: string; epoch: number }[] = [];
    for (let n = 0; n < TERMINALS; n++) {
      const opened = await product.open({ command: PRINTS });
      terminals.push(opened);
      owner.attach(opened.id);
      await owner.shows(opened.id, /end/);
    }
    const typed = await product.open({ command: ["/bin/cat"] });
    owner.attach(typed.id);
    await owner.attached(typed.id);
    const takers = await Promise.all(Array.from({ length: TAKERS }, connect));
    try {
      for (const taker of takers) for (const { id } of terminals) taker.attach(id);
      for (const { id } of terminals) {
        for (const taker of takers) {
          await taker.message((message) => isAttached(message, id), "its place");
        }
      }
      const before = residentBytes(product.pid);
      let most = before;
      let rounds = 0;
      // Stops at the bound: a machine that runs tests has no memory to spare.
      while (rounds < ROUNDS && most - before < MAX_GROWTH) {
        for (const { id, epoch } of terminals) {
          for (const taker of takers) taker.attach(id, { epoch, offset: 0 });
        }
        for (const taker of takers) taker.messages.length = 0;
        owner.type(typed.id, `round ${rounds};\n`);
        await owner.shows(typed.id, new RegExp(`round ${rounds};`));
        most = Math.max(most, residentBytes(product.pid));
        rounds += 1;
      }
      expect({ rounds, isBounded: most - before < MAX_GROWTH }).toEqual({
        rounds: ROUNDS,
        isBounded: true,
      });
      // Whoever comes by another link is served at once, and so is the owner.
      using late = await RawClient.connect(endpoints.peer, tokens.edit);
      const [first] = terminals;
      late.attach(first?.id ?? "", { epoch: first?.epoch ?? 0, offset: 0 });
      await late.shows(first?.id ?? "", /end/);
      for (const taker of takers) expect(taker.closed).toBeUndefined();
    } finally {
      for (const taker of takers) taker.close();
    }
  },
  60_000,
);

function isAttached({ type, id }: { type?: string; id?: string }, wanted: string): boolean {
  return type === "pty:attached" && id === wanted;
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * KiB;
}
