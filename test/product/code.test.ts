// Who may widen at the sockets of this machine: people alone as ever; once an agent has called, only
// those who have the code of this run. The agent's code is a real one, started by a real call.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestBridge } from "../../bridge/doors/control/control-client.ts";
import type { Approval } from "../../protocol/approval.ts";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toBytes } from "../../protocol/text.ts";
import { agentAt } from "../support/agent.ts";
import { filesBelow } from "../support/files.ts";
import { listeningPorts } from "../support/processes.ts";
import { CLI, Place } from "../support/product.ts";
import type { Product } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { Tty } from "../support/tty.ts";
import { until } from "../support/waiting.ts";

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
tries.admit = await askSocket({ verb: "admit", who: "gus" });
tries.rights = await askSocket({ verb: "rights", who: "gus", role: "edit" });
tries.guess = await askSocket({ ...share, code: "00000000" });
tries.shown = await pairpty("--json");
tries.shared = await pairpty("share", "--role", "edit", "--json");
for (const answer of ["once", "session", "prefix"]) {
  tries[answer] = await askSocket({ verb: "answer", id, answer });
}
tries.approved = await pairpty("approve", id);
tries.typed = await new Promise((resolve) => {
  const frame = Buffer.from(message, "base64");
  const socket = connect(runtime + "/terminal.sock", () => socket.write(frame));
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
    if (text.includes("approval:error")) socket.end();
  });
  socket.on("close", () => resolve(text));
});
writeFileSync("tries.json", JSON.stringify(tries));
console.log("tried " + "everything");
setInterval(() => {}, 1000);
`;

/** What a person may be asked about. */
const DANGEROUS = { cwd: ".", command: ["git", "clean", "-fdx"] };

test("C2 Q41 Q88 Q94 people alone are not bothered: links, share and connect need no code, and a wrong one is refused", async () => {
  expect((await place.run(["share", "--json"])).code).toBe(0);
  expect((await place.run(["connect", "codex"])).code).toBe(0);
  const links = await place.ask(["--json", ...place.code]);
  expect(JSON.parse(links.stdout)).toEqual(product.publicReady);
  const wrong = await place.run(["share", "--code", "1"]);
  expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
  expect(wrong.stderr).toMatch(/wrong code[^]*key k/);
  const inside = await place.run(["share", ...place.code], { PAIRPTY_TERMINAL: "pty-x@y" });
  expect([inside.code, inside.stderr]).toEqual([
    2,
    expect.stringContaining("others can see what you type here"),
  ]);
});

test("Q40 Q44 an agent that came by HTTP cannot allow its own first question, nor share, although nothing of it has run", async () => {
  await using fresh = new Place();
  const bridge = await fresh.start();
  const { endpoints, tokens } = bridge.ready;
  using person = await PlainClient.connect(endpoints.peer, tokens.edit);
  await person.ofType("approval:open");
  expect((await fresh.run(["share", "--json"])).code).toBe(0);
  const { call, close } = await agentAt(endpoints.mcp, tokens.agent);
  const asked = call("spawn_background_terminal", DANGEROUS).catch(String);
  const { approval } = (await bridge.event("approval_requested")) as { approval: Approval };
  const own = await fresh.run(["approve", approval.id]);
  expect([own.code, own.stdout]).toEqual([2, ""]);
  expect(own.stderr).toMatch(/confirmation code[^]*key k/);
  expect(own.stderr.replaceAll(/\s+/g, " ")).toContain(
    `\`pairpty approve ${approval.id} --code\` asks for the code.`,
  );
  const shared = await fresh.run(["share", "--json"]);
  expect([shared.code, shared.stdout]).toEqual([2, ""]);
  expect((await fresh.ask([])).stdout).toBe(`view ${bridge.ready.links.view}\n`);
  expect((await fresh.run(["approve", approval.id, ...fresh.code])).code).toBe(0);
  expect(await asked).toMatchObject({ id: expect.stringMatching(/^pty-/) });
  await close();
});

test("Q47 C37 an agent's code as the user gets no link, no token, no grant and no allow at any socket of this machine", async () => {
  using person = await PlainClient.connect(product.ready.endpoints.peer, product.ready.tokens.edit);
  await person.ofType("approval:open");
  const { call, close } = await agentAt(product.ready.endpoints.mcp, product.ready.tokens.agent);
  const asked = call("spawn_background_terminal", DANGEROUS);
  const { approval } = (await product.event("approval_requested")) as { approval: Approval };
  expect(approval).toMatchObject({ command: DANGEROUS.command, verdict: "dangerous" });
  const { id } = approval;
  const answer = JSON.stringify({ type: "approval:answer", id, answer: "once" });
  const names = {
    runtime: place.runtimeFolder(),
    cli: CLI,
    folder: place.folder,
    id,
    message: Buffer.from(encodeFrame(FrameType.peerMessage, 0, toBytes(answer))).toString("base64"),
  };
  const known = `const { runtime, cli, folder, id, message } = ${JSON.stringify(names)};`;
  writeFileSync(join(place.folder, "attack.mjs"), `${known}${ATTACK}`);
  const before = await place.run(["grants", "--json"]);
  expect(before.code).toBe(0);
  const spawned = await call("spawn_background_terminal", {
    cwd: ".",
    command: ["node", "attack.mjs"],
  });
  attacker = spawned["id"] ?? "";
  const waitFor = { pattern: "tried everything" };
  const { history } = await call("read_terminal", {
    terminalId: attacker,
    waitFor,
    timeoutMs: 50_000,
  });
  expect(history).toContain("tried everything");

  const tries: Record<string, string> = JSON.parse(
    readFileSync(join(place.folder, "tries.json"), "utf8"),
  );
  const all = JSON.stringify(tries);
  const { edit, agent, view } = product.ready.tokens;
  for (const secret of [edit, agent, product.ready.code]) expect(all).not.toContain(secret);
  const found = all.match(/pp_\w{10}_\w{32}/g) ?? [];
  expect(new Set(found)).toEqual(new Set([view]));
  for (const name of [
    "share",
    "quietly",
    "agent",
    "admit",
    "rights",
    "once",
    "session",
    "prefix",
  ]) {
    expect(JSON.parse(tries[name] ?? ""), name).toMatchObject({
      ok: false,
      error: expect.stringContaining("confirmation code"),
    });
  }
  expect(tries["guess"]).toContain("wrong code");
  for (const name of ["shared", "approved"]) {
    expect(JSON.parse(tries[name] ?? ""), name).toMatchObject({ code: 2, out: "" });
  }
  expect(tries["typed"]).toContain('"code":"forbidden"');
  expect((await place.run(["grants", "--json"])).stdout).toBe(before.stdout);
  const log = (await place.run(["audit"])).stdout;
  expect(log).toMatch(/this machine\s+wrong code/);
  expect(log).toMatch(/links shown · view link only/);

  // It is still open: a person with the code answers it.
  expect(JSON.parse((await place.run(["approvals", "--json"])).stdout)).toMatchObject([{ id }]);
  const listed = (await place.run(["approvals"])).stdout;
  expect(listed).toMatch(new RegExp(`^${id}  requested .* ago`));
  expect(listed).toMatch(
    /wants to run a command \(spawn_background_terminal, isolation none[^]*│ git clean -fdx/,
  );
  expect(listed).toContain(`pairpty approve ${id} --code`);
  expect((await place.run(["status"])).stdout).toMatch(/^approvals +1 open/m);
  expect((await place.run(["complete-ids", "approvals"])).stdout).toMatch(
    new RegExp(`^${id}\\t.*git clean`),
  );
  const refused = await place.run(["approve", id]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("confirmation code")]);
  const allowed = await place.run(["approve", id, ...place.code, "--session", "--json"]);
  expect([allowed.code, JSON.parse(allowed.stdout)]).toEqual([0, { id, answer: "session" }]);
  expect((await asked)["id"]).toMatch(/^pty-/);
  const by = { label: "the command line", door: "control" };
  expect(await product.event("approval_settled")).toMatchObject({ id, outcome: "allowed", by });
  const late = await place.run(["deny", id]);
  expect([late.code, late.stderr]).toEqual([
    2,
    expect.stringContaining("allowed by the command line"),
  ]);
  await close();
});

test("Q48 Q95 SIGUSR1 opens no debugger in any process of pairpty, and --code leaves the command line", async () => {
  const scripts = ["cli.js", "pty-host.js", "embedded-relay.js"];
  const pids = scripts.flatMap((script) => place.processesRunning(script));
  expect(pids.length).toBeGreaterThanOrEqual(3);
  // One after the other: a second debugger would find the port taken.
  for (const pid of pids) {
    const before = listeningPorts(pid);
    process.kill(pid, "SIGUSR1");
    // Some round trips, in which a debugger would open.
    for (let at = 0; at < 3; at++) expect((await place.run(["status"])).code).toBe(0);
    expect(listeningPorts(pid), place.readCommand(pid)).toEqual(before);
  }

  process.kill(product.pid, "SIGSTOP");
  const child = place.spawn(CLI, ["share", "--code", "12345678"]);
  try {
    const line = () => place.readCommand(child.pid ?? 0).trim();
    await until("the code is off the command line", () => line() === "pairpty");
  } finally {
    child.kill("SIGKILL");
    process.kill(product.pid, "SIGCONT");
  }
});

test("PE8 what a View link cannot is said before anyone is asked for a code", async () => {
  const { endpoints, tokens } = product.ready;
  using guy = await PlainClient.connect(endpoints.peer, tokens.view);
  guy.send({ type: "room:hello", device: "guy-browser-0123456789", name: "Guy" });
  await guy.ofType("room:you");
  const { code, stderr } = await place.run(["people", "Guy", "--edit"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("has a View link")]);
});

test("Q46 C37 C31 C102 C103 C104 the end of a rule and deny need no code: the agent asks again, and is told why not", async () => {
  const [rule] = JSON.parse((await place.run(["rules", "--json"])).stdout);
  expect(rule).toMatchObject({
    kind: "session",
    allows: expect.stringContaining("git clean -fdx"),
  });
  expect((await place.run(["rules"])).stdout).toMatch(
    new RegExp(`^${rule.id} +session +agent link .* ago .*git clean -fdx$`, "m"),
  );
  expect((await place.run(["complete-ids", "rules"])).stdout).toContain(`${rule.id}\t`);
  expect((await place.run(["rules", "--end", rule.id])).code).toBe(0);
  using person = await PlainClient.connect(product.ready.endpoints.peer, product.ready.tokens.edit);
  await person.ofType("approval:open");
  const { call, close } = await agentAt(product.ready.endpoints.mcp, product.ready.tokens.agent);
  const from = product.events.length;
  const asked = call("spawn_background_terminal", DANGEROUS).catch(String);
  const { approval } = (await product.event("approval_requested", { from })) as {
    approval: Approval;
  };
  const denied = await place.run(["deny", approval.id, "--reason", "not on main"]);
  expect([denied.code, denied.stderr]).toEqual([0, "Denied.\n"]);
  expect(await asked).toContain("not on main");
  // By the name that its other lines have.
  const logged = /  agent link  approval denied \(spawn_background_terminal\) · dangerous/;
  expect((await place.run(["audit"])).stdout).toMatch(logged);
  expect((await place.run(["approvals"])).stderr).toContain("No agent is waiting");
  expect((await place.run(["rules"])).stderr).toContain("No standing approvals");
  const unknown = await place.run(["rules", "--end", "nope"]);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("unknown rule nope")]);
  // Before anybody looks for a code.
  const gone = await place.run(["approve", "nope", "--code"]);
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining("no open approval nope")]);
  const late = await place.run(["approve", approval.id, "--code"]);
  expect([late.code, late.stderr]).toEqual([2, expect.stringContaining("was already denied by")]);
  const both = await place.run(["approve", "x", "--session", "--prefix"]);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("exclude each other")]);
  await close();
});

test("Q45 Q93 C2 G16 then a second pairpty shows the view link and says how to see the other; the code shows both", async () => {
  const plain = await place.ask([]);
  expect([plain.code, plain.stdout]).toEqual([0, `view ${product.ready.links.view}\n`]);
  expect(plain.stderr).toMatch(/the Edit link needs a\s+confirmation\s+code:\s+`pairpty --code`/);
  const quiet = await place.run(["--quiet", "--copy"]);
  expect([quiet.code, quiet.stdout]).toEqual([0, `view ${product.ready.links.view}\n`]);
  const whole = await place.ask(place.code);
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
  const connected = await place.run(["connect", "codex"]);
  expect([connected.code, connected.stdout]).toEqual([2, ""]);
  expect((await place.run(["connect", "codex", ...place.code])).code).toBe(0);
  // From here on only the note says that it ran.
  expect((await place.run(["close", attacker])).code).toBe(0);
});

test("Q42 Q43 Q90 a takeover does not forget that an agent has called, and has a code of its own", async () => {
  const { code } = product.ready;
  await product.kill();
  product = await place.start();
  expect(product.ready.code).not.toBe(code);
  const found = await requestBridge(join(place.runtimeFolder(), "bridge.sock"), { verb: "ready" });
  expect(found?.tokens).toEqual({ view: product.ready.tokens.view });
  expect((await place.run(["share"])).code).toBe(2);
  expect((await place.run(["share", "--code", code])).code).toBe(2);
  expect((await place.run(["share", ...place.code])).code).toBe(0);
  for (const file of filesBelow(place.stateFolder(), place.runtimeFolder())) {
    expect(readFileSync(file, "utf8"), file).not.toContain(product.ready.code);
  }
});
