// Owns what is done in the soak: each work once, to be repeated.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { World } from "./world.ts";

/** A terminal with somebody in it, to its end. */
export async function oneTerminal(world: World, lines = 500): Promise<void> {
  const id = await world.open(["/bin/sh", "-c", `seq 1 ${lines}; read -r word; echo got $word`]);
  if (id === undefined) return;
  using client = await world.connect();
  client.attach(id);
  await client.shows(id, new RegExp(`^${lines}\\r?$`, "m"));
  client.type(id, "soak\n");
  await client.shows(id, "got soak");
  await world.close(id);
}

/** A terminal that is closed while it runs, with a background job in it. */
export async function closedTerminal(world: World): Promise<void> {
  const id = await world.open(["/bin/sh", "-c", "sleep 1000 & wait"]);
  if (id !== undefined) await world.close(id);
}

/** Much output, a person who keeps up, and one who only looks in. */
export async function flood(world: World): Promise<void> {
  const id = await world.open(["/bin/sh", "-c", "seq 1 300000; echo done; cat"]);
  if (id === undefined) return;
  using driver = await world.connect();
  driver.attach(id);
  using watcher = await world.connect("view");
  watcher.attach(id);
  await driver.shows(id, /^done\r?$/m, 60_000);
  await world.close(id);
}

/** People who come, look at what is there, and leave without a word. */
export async function visitors(world: World, id: string): Promise<void> {
  const clients = await Promise.all([1, 2, 3, 4].map(() => world.connect("view")));
  for (const client of clients) client.attach(id);
  await Promise.all(clients.map((client) => client.ofType("pty:attached")));
  for (const client of clients) client.close();
}

export async function agentCalls(world: World): Promise<void> {
  const { endpoints, tokens } = world.product.ready;
  const headers = { authorization: `Bearer ${tokens.agent}` };
  const transport = new StreamableHTTPClientTransport(new URL(world.url(endpoints.mcp)), {
    requestInit: { headers },
  });
  const client = new Client({ name: "soak", version: "1" });
  await client.connect(transport);
  for (let i = 0; i < 10; i++) await client.callTool({ name: "list_terminals", arguments: {} });
  await transport.terminateSession().catch(() => {});
  await client.close();
}

export async function verbs(world: World): Promise<void> {
  const { place } = world;
  for (const verb of [["ls"], ["status", "--json"], ["logs", "--lines", "5"]])
    await place.run(verb);
  const shared = await place.run(["share", "--json", ...place.code]);
  const { grant } = JSON.parse(shared.stdout) as { grant: { id: string } };
  await place.run(["revoke", grant.id]);
}
