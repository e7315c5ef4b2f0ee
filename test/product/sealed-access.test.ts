// Links, tokens and their marks in sealed rooms, by the command line.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentAt } from "../support/agent.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { connectPlain, connectSealed } from "../support/room-walk.ts";
import { PlainClient } from "../support/plain-client.ts";

const SEALED = /#pp2_\w{10}_\w{32}_\w{43}$/;
const TOKEN = /^pp_\w{10}_\w{32}$/;
const READABLE = "readable by the relay";

interface Row {
  readonly id: string;
  readonly role: string;
  readonly label: string;
  readonly sealed: boolean;
  readonly readable?: true;
}

async function json(place: Place, ...args: string[]) {
  const { code, stdout, stderr } = await place.run([...args, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

const afterHash = (link: string) => link.slice(link.indexOf("#") + 1);

describe("a sealed room", () => {
  let place: Place;
  let product: Product;
  beforeAll(async () => {
    place = new Place();
    product = await place.start("--e2e", "on");
  });
  afterAll(() => place[Symbol.asyncDispose]());

  test("SE60 links of the first screen and of share are sealed, and a sealed link's holder makes sealed ones", async () => {
    const { links, own, tokens, e2e } = product.ready;
    expect(e2e).toBe(true);
    for (const link of [links.edit, links.view, own]) expect(link).toMatch(SEALED);
    expect(tokens.agent).toMatch(TOKEN);
    const made = await json(place, "share", "--role", "edit", "--may-share", "--label", "Ada");
    expect(made).toMatchObject({
      link: expect.stringMatching(SEALED),
      grant: { label: "Ada", sealed: true },
    });
    expect(made.token).toBeUndefined();
    const text = await place.run(["share"]);
    expect(text.stdout.trim()).toMatch(SEALED);
    expect(text.stderr).not.toContain(READABLE);
    const ada = await connectSealed(product, made.link);
    ada.send({ type: "room:share", role: "view", label: "", expiresInMs: 60_000 });
    expect((await ada.ofType("room:shared"))["link"]).toMatch(SEALED);
    ada.close();
  });

  test("SE61 SE62 share --plain makes a token that a plain client uses, marked, and its holder makes plain links", async () => {
    const plain = ["share", "--plain", "--role", "edit", "--may-share", "--label", "script"];
    const made = await json(place, ...plain);
    expect(made).toMatchObject({
      token: expect.stringMatching(TOKEN),
      grant: { sealed: false, readable: true },
    });
    expect(made.link).toBeUndefined();
    const text = await place.run(["share", "--plain"]);
    expect(text.stdout.trim()).toMatch(TOKEN);
    expect(text.stderr).toContain(`This token is ${READABLE}`);
    const script = await connectPlain(product, made.token);
    script.send({ type: "room:share", role: "view", label: "", expiresInMs: 60_000 });
    expect(afterHash(String((await script.ofType("room:shared"))["link"]))).toMatch(TOKEN);
    const status = (await place.run(["status"])).stdout;
    expect(status).toMatch(/^script \(readable by the relay\) +edit/m);
    script.close();
  });

  test("SE62 what the relay can read is marked wherever it is listed, and no psk is shown", async () => {
    const agent = await json(place, "share", "--role", "agent", "--label", "codex");
    expect(agent).toMatchObject({ token: expect.stringMatching(TOKEN), grant: { readable: true } });
    const connected = await place.run(["connect", "claude-code"]);
    expect(connected.stderr.replaceAll(/\s+/g, " ")).toContain(`This token is ${READABLE}`);
    const rows: Row[] = await json(place, "grants");
    expect(JSON.stringify(rows)).not.toContain("psk");
    const readable = rows.filter((row) => row.readable === true);
    expect(readable.every(({ sealed }) => !sealed)).toBe(true);
    const peoples = readable.filter(({ role }) => role !== "agent").length;
    const agents = readable.length - peoples;
    expect(rows.find(({ label }) => label === "codex")).toMatchObject({ sealed: false });
    expect((await place.run(["grants"])).stdout).toMatch(/codex +readable by the relay/);
    expect(await json(place, "status")).toMatchObject({
      e2e: true,
      readable: { people: peoples, agents },
    });
    const status = (await place.run(["status"])).stdout;
    expect(status).toMatch(/^encryption +end-to-end encrypted; readable by the relay: \d plain/m);
  });
});

test("SE64 SE65 links from before end at the first sealed start and are listed once; agents' tokens go on", async () => {
  await using place = new Place();
  const before = await place.start();
  expect(before.ready.e2e).toBe(false);
  const ada = await json(place, "share", "--label", "Ada");
  const agent = await json(place, "share", "--role", "agent", "--label", "codex");
  await before.stop();

  const sealed = await place.start("--e2e", "on");
  const { note } = await sealed.event("note");
  expect(note).toContain(`1 link from before has ended: ${ada.grant.id} (Ada, view)`);
  expect(note).toContain("1 agent token still works, readable by the relay");
  const refused = new PlainClient(sealed.ready.endpoints.peer, ada.token);
  expect(await refused.closes()).toEqual({
    code: 4403,
    reason: "This link is from before end-to-end encryption: ask the host for a new one",
  });
  const client = await agentAt(sealed.ready.endpoints.mcp, agent.token);
  await client.close();
  const ids = (await json(place, "grants")).map(({ id }: Row) => id);
  expect(ids).toContain(agent.grant.id);
  expect(ids).not.toContain(ada.grant.id);
  await sealed.stop();

  const again = await place.start("--e2e", "on");
  await json(place, "status");
  expect(again.events.filter(({ note: one }) => String(one).includes("from before"))).toEqual([]);
  await again.stop();

  const plain = await place.start("--e2e", "off");
  const ended = new PlainClient(plain.ready.endpoints.peer, ada.token);
  expect((await ended.closes()).code).not.toBe(1000);
  expect(ended.messages).toEqual([]);
});
