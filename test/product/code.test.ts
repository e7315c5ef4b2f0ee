// Who may widen at the sockets of this machine: people alone as ever; once an agent's code has run as
// the user, whoever has the code of this run. The agent's code is a real one, started by a real call.

import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "../../bridge/doors/control/client.ts";
import { filesBelow } from "../support/files.ts";
import { CLI, Place } from "../support/product.ts";
import type { Product } from "../support/product.ts";
import { Tty } from "../support/tty.ts";

let place: Place;
let product: Product;
let attacker = "";

beforeAll(async () => {
  place = new Place();
  product = await place.start();
});
afterAll(async () => await place[Symbol.asyncDispose]());

/** What an agent's program would try as the user, and what each try came to. */
const ATTACK = `
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";

const { PAIRPTY_TERMINAL, ...environment } = process.env;
const tries = {};
const askSocket = (request) =>
  new Promise((resolve) => {
    const socket = connect(runtime + "/bridge.sock", () => socket.write(JSON.stringify(request) + "\\n"));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\\n")) socket.end();
    });
    socket.on("close", () => resolve(text.trim()));
    socket.on("error", (error) => resolve(error.message));
  });
const pairpty = (...args) =>
  new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args, "--cwd", folder], { env: environment }, (error, out, err) =>
      resolve(JSON.stringify({ code: error?.code ?? 0, out, err })),
    );
  });
const share = { verb: "share", role: "edit", scopes: [], label: "", expiresInMs: 60000, quietly: false };
tries.ready = await askSocket({ verb: "ready" });
tries.share = await askSocket(share);
tries.quietly = await askSocket({ ...share, quietly: true });
tries.agent = await askSocket({ ...share, role: "agent", scopes: ["read", "spawn", "type"] });
tries.guess = await askSocket({ ...share, code: "00000000" });
tries.shown = await pairpty("--json");
tries.shared = await pairpty("share", "--role", "edit", "--json");
tries.connected = await pairpty("connect", "codex");
tries.revoked = await pairpty("grants");
writeFileSync("tries.json", JSON.stringify(tries));
console.log("tried " + "everything");
setInterval(() => {}, 1000);
`;

async function agentRuns(bridge: Product, command: string[]): Promise<string> {
  const client = new ModernClient({ name: "an agent", version: "1" });
  const headers = { authorization: `Bearer ${bridge.ready.tokens.agent}` };
  const url = new URL(bridge.ready.endpoints.mcp);
  await client.connect(new ModernTransport(url, { requestInit: { headers } }));
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [first] = content;
    const text = first?.type === "text" ? first.text : "";
    if (isError === true) throw new Error(text);
    return JSON.parse(text);
  };
  const { id } = await call("spawn_background_terminal", { cwd: ".", command });
  const waitFor = { pattern: "tried everything" };
  const { history } = await call("read_terminal", { terminalId: id, waitFor, timeoutMs: 50_000 });
  await client.close();
  expect(history).toContain("tried everything");
  return id;
}

test("Q40 C2 people alone are not bothered: links, share and connect need no code, and a wrong one is refused", async () => {
  expect((await place.run(["share", "--json"])).code).toBe(0);
  expect((await place.run(["connect", "codex"])).code).toBe(0);
  const links = await place.run(["--json", ...place.code]);
  expect(JSON.parse(links.stdout)).toEqual(product.told);
  const wrong = await place.run(["share", "--code", "1"]);
  expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
  expect(wrong.stderr).toMatch(/not the code of the running pairpty[^]*key k/);
  const inside = await place.run(["share", ...place.code], { PAIRPTY_TERMINAL: "pty-x@y" });
  expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining("others here see")]);
});

test("Q47 an agent's code as the user gets no link, no token and no grant at any socket of this machine", async () => {
  const names = { runtime: place.runtimeFolder(), cli: CLI, folder: place.folder };
  const known = `const { runtime, cli, folder } = ${JSON.stringify(names)};`;
  writeFileSync(join(place.folder, "attack.mjs"), `${known}${ATTACK}`);
  const before = await place.run(["grants", "--json"]);
  attacker = await agentRuns(product, ["node", "attack.mjs"]);
  const tries: Record<string, string> = JSON.parse(
    readFileSync(join(place.folder, "tries.json"), "utf8"),
  );
  const all = JSON.stringify(tries);
  for (const secret of [
    product.ready.tokens.edit,
    product.ready.tokens.agent,
    product.ready.code,
  ]) {
    expect(all).not.toContain(secret);
  }
  expect(
    all.match(/pp_\w{10}_\w{32}/g)?.every((token) => token === product.ready.tokens.view),
  ).toBe(true);
  for (const name of ["share", "quietly", "agent"]) {
    expect(JSON.parse(tries[name] ?? ""), name).toMatchObject({
      ok: false,
      error: expect.stringContaining("needs the code"),
    });
  }
  expect(tries["guess"]).toContain("not the code");
  for (const name of ["shared", "connected"]) {
    expect(JSON.parse(tries[name] ?? ""), name).toMatchObject({ code: 2, out: "" });
  }
  expect(JSON.parse(tries["revoked"] ?? "")).toMatchObject({ code: 0 });
  expect((await place.run(["grants", "--json"])).stdout).toBe(before.stdout);
  const log = (await place.run(["audit"])).stdout;
  expect(log).toMatch(/this machine\s+wrong code/);
  expect(log).toMatch(/links told · view link only/);
});

test("Q45 C2 then a second pairpty shows the view link and says how to see the other; the code shows both", async () => {
  const plain = await place.run([]);
  expect([plain.code, plain.stdout]).toEqual([0, `view ${product.ready.links.view}\n`]);
  expect(plain.stderr).toMatch(/the Edit link needs the code:\s+`pairpty --code N`/);
  const quiet = await place.run(["--quiet", "--copy"]);
  expect([quiet.code, quiet.stdout]).toEqual([0, `view ${product.ready.links.view}\n`]);
  const whole = await place.run(place.code);
  const { edit, view } = product.ready.links;
  expect(whole.stdout).toBe(`edit ${edit}\nview ${view}\n`);
  using tty = Tty.pairpty(place, ["--code"]);
  await tty.shows("Code: ");
  tty.type(`${product.ready.code}\r`);
  await tty.shows(edit);
  expect(await tty.ends()).toBe(0);
  expect(tty.text).not.toContain(product.ready.code);
});

test("Q46 what narrows needs no code, and with the code people widen as before", async () => {
  const made = await place.run(["share", "--json", ...place.code]);
  const { grant } = JSON.parse(made.stdout);
  expect((await place.run(["revoke", grant.id])).code).toBe(0);
  expect((await place.run(["connect", "codex", ...place.code])).code).toBe(0);
  // From here on only the note says that it ran.
  expect((await place.run(["close", attacker])).code).toBe(0);
});

test("Q42 Q43 a takeover does not forget that an agent's code has run, and has a code of its own", async () => {
  const { code } = product.ready;
  await product.kill();
  product = await place.start();
  expect(product.ready.code).not.toBe(code);
  const told = await ask(join(place.runtimeFolder(), "bridge.sock"), { verb: "ready" });
  expect(told?.tokens).toEqual({ view: product.ready.tokens.view });
  expect((await place.run(["share"])).code).toBe(2);
  expect((await place.run(["share", "--code", code])).code).toBe(2);
  expect((await place.run(["share", ...place.code])).code).toBe(0);
  for (const file of filesBelow(place.stateFolder(), place.runtimeFolder())) {
    expect(readFileSync(file, "utf8"), file).not.toContain(product.ready.code);
  }
});
