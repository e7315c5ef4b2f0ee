// What people in the room and the command line are told when a bridge goes: by a hang-up, a signal, `stop`.

import { once } from "node:events";
import { expect, test } from "vitest";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { StandInTunnel } from "../support/stand-in-tunnel.ts";

/** The last message about the bridge that a person in its room hears. */
async function readFarewell(product: Product, go: () => unknown, client: PlainClient) {
  await client.ofType("pty:terminals");
  const from = client.messages.length;
  const exited = once(product.child, "exit");
  await go();
  await client.ofType("bridge", from);
  await exited;
  return client.messages.findLast(({ type }) => type === "bridge");
}

test("TU30 a hang-up is reported as one, without a count of terminals", async () => {
  await using place = new Place();
  for (const count of [1, 0]) {
    const product = await place.start("--no-qr");
    const { endpoints, tokens } = product.ready;
    if (count > 0) await product.open();
    using client = await PlainClient.connect(endpoints.peer, tokens.edit);
    const farewell = await readFarewell(product, () => product.child.kill("SIGHUP"), client);
    expect(farewell).toEqual({
      type: "bridge",
      state: "away",
      how: "left",
      since: expect.any(Number),
      until: expect.any(Number),
    });
    const stopped = await place.run(["stop", "--yes"]);
    expect(stopped.stderr).toContain(
      count === 0 ? "ended its remaining processes" : "its 1 waiting terminal",
    );
  }
});

test("TU30 people behind a tunnel are told before it ends", async () => {
  using tunnel = new StandInTunnel(["calm-river"], ["cloudflared"]);
  await using place = new Place({ PATH: `${tunnel.bin}:${process.env["PATH"]}` });
  const product = await place.start("--tunnel", "--yes", "--e2e", "off");
  const [url, how] = tunnel.through(product.ready.endpoints.peer);
  using client = await PlainClient.connect(url, product.ready.tokens.edit, how);
  const farewell = await readFarewell(product, () => product.child.kill("SIGHUP"), client);
  expect(farewell).toMatchObject({ how: "left" });
});

test("TU33 `stop` says what it ended, and who was told", async () => {
  await using place = new Place();
  const product = await place.start();
  await product.open({ command: ["sleep", "1000"] });
  const { endpoints, tokens } = product.ready;
  using client = await PlainClient.connect(endpoints.peer, tokens.view);
  let stderr = "";
  const stop = async () => {
    ({ stderr } = await place.run(["stop", "--yes"]));
  };
  const farewell = await readFarewell(product, stop, client);
  expect(farewell).toMatchObject({ how: "ended", by: "stop" });
  expect(stderr).toBe("Stopped. 1 terminal ended (sleep 1000). 1 guest was notified.\n");
});
