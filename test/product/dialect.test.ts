// The pty dialect through the whole chain: command line, pty host, relay in workerd, socket.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { SeedClient } from "../support/seed-client.ts";

let place: Place;
let product: Product;

beforeAll(async () => {
  place = new Place();
  product = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

const connect = (role: "edit" | "view" | "agent" = "edit") =>
  SeedClient.connect(product.ready.endpoints.peer, product.ready.tokens[role]);

describe("a client that knows only the seed", () => {
  test("D1 attaches, types, gets output, resizes and sees the exit", async () => {
    using client = await connect();
    const { id } = await product.open();
    client.send({ type: "pty:attach", id });
    const attached = await client.ofType("pty:attached");
    expect(attached.id).toBe(id);
    client.send({ type: "pty:resize", id, cols: 101, rows: 37 });
    client.send({ type: "pty:input", id, data: "stty size; echo done-$((40+2))\n" });
    await client.shows(id, "37 101");
    await client.shows(id, "done-42");
    client.send({ type: "pty:input", id, data: "exit 3\n" });
    const exit = await client.ofType("pty:exit");
    expect(exit).toMatchObject({ id, exitCode: 3 });
  });
});
