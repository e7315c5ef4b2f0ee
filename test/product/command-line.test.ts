// The command line as a program: streams, exit codes, verbs, and what it keeps.

import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestBridge } from "../../bridge/doors/control/control-client.ts";
import { TOKEN_PATTERN } from "../../protocol/grant.ts";
import { localAgent } from "../support/everyday.ts";
import { listProcesses } from "../support/processes.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { until, within } from "../support/waiting.ts";
import { canSandbox } from "../support/walls.ts";

async function takePort(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  return { server, port };
}

/** What makes a connection to `mcp.sock` somebody: an agent says who it is. */
function introduced(name: string): string {
  return `${JSON.stringify({ pairpty: { name } })}\n`;
}

/** One folder, from start to start: each test goes on where the one before it ended. */
let place: Place;
let product: Product;
let first: Product;
/** Of somebody else, when the first one starts. */
let taken: { server: Server; port: number };

beforeAll(async () => {
  place = new Place();
  taken = await takePort();
  place.environment["PAIRPTY_PORT"] = String(taken.port);
  first = await place.start("--port", "0");
  product = first;
});
afterAll(() => place[Symbol.asyncDispose]());

describe("a bridge that runs", () => {
  test("C27 port 0 is any free port, by flag and by setting, and any bridge that runs has it", async () => {
    const { relay } = product.ready;
    expect(Number(new URL(relay).port)).toBeGreaterThan(0);
    expect(new URL(relay).port).not.toBe(String(taken.port));
    taken.server.close();
    const again = await place.ask(["--json", "--port", "0"]);
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, product.publicReady]);
    delete place.environment["PAIRPTY_PORT"];
  });

  test("C4 C1 PE64 the ready line has every field, stdout is JSON alone, and verbs answer", async () => {
    const { ready } = product;
    const origin = `http://127.0.0.1:${new URL(ready.relay).port}`;
    const base = `${origin}/w/${ready.workspace}`;
    expect(ready).toEqual({
      event: "ready",
      e2e: false,
      workspace: expect.stringMatching(/^[a-z0-9]{20}$/),
      relay: origin,
      links: { edit: `${base}#${ready.tokens.edit}`, view: `${base}#${ready.tokens.view}` },
      own: expect.stringContaining(`${base}#pp_`),
      tokens: {
        edit: expect.stringMatching(TOKEN_PATTERN),
        view: expect.stringMatching(TOKEN_PATTERN),
        agent: expect.stringMatching(TOKEN_PATTERN),
      },
      endpoints: {
        peer: `${origin.replace("http", "ws")}/parties/workspace/${ready.workspace}`,
        bridge: `${base.replace("http", "ws")}/bridge`,
        mcp: `${base}/mcp`,
        acp: `${base.replace("http", "ws")}/acp`,
        health: `${base}/health`,
      },
      code: expect.stringMatching(/^\d{8}$/),
    });

    using client = await PlainClient.connect(ready.endpoints.peer, ready.tokens.view);
    expect(await product.event("peer_joined")).toMatchObject({ role: "view" });
    client.close();
    await product.event("peer_left");

    const { id } = await product.open({ command: ["/bin/cat"] });
    await product.event("terminal_created");
    expect(JSON.parse((await place.run(["ls", "--json"])).stdout)).toMatchObject([{ id }]);
    const status = JSON.parse((await place.run(["status", "--json"])).stdout);
    expect(status).toMatchObject({ link: "up", terminals: 1, people: [], pid: product.pid });
  });

  test("C2 C53 C72 a second pairpty prints the running bridge's links and exits 0", async () => {
    const { publicReady: ready } = product;
    const json = await place.ask(["--json"]);
    expect([json.code, JSON.parse(json.stdout)]).toEqual([0, ready]);
    const plain = await place.ask([]);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toBe(`edit ${ready.links.edit}\nview ${ready.links.view}\n`);
    expect(plain.stderr).toContain("These links work only on this machine");
    const others = [
      ["--new"],
      ["--relay", "https://x.example"],
      ["--port", "1"],
      ["--workspace", "other"],
      ["--shell", "/bin/sh"],
    ];
    const refusals = others.map(async (flags) => {
      const refused = await place.ask(flags);
      expect([refused.code, refused.stderr], flags[0]).toEqual([
        2,
        expect.stringContaining(flags[0] ?? ""),
      ]);
    });
    await Promise.all(refusals);
  });

  test("C6 inside a shared terminal no verb prints a token", async () => {
    const inside = { PAIRPTY_TERMINAL: "pty-x@y" };
    for (const args of [[], ["--json"], ["share"], ["share", "--json"]]) {
      const result = await place.ask(args, inside);
      expect(result.code).toBe(0);
      expect(result.stdout + result.stderr, args.join(" ")).not.toMatch(/pp_/);
    }
    expect(product.stderr()).toMatch(/#pp_/);
  });

  test("C7 state is for its user alone, and a runtime folder that is a link is refused", async () => {
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect(mode(place.stateFolder())).toBe(0o700);
    expect(mode(join(place.stateFolder(), "workspace.json"))).toBe(0o600);
    expect(mode(place.runtimeFolder())).toBe(0o700);
    for (const socket of ["bridge.sock", "host.sock", "relay.sock"]) {
      expect(mode(join(place.runtimeFolder(), socket)), socket).toBe(0o600);
    }
    const kept = readFileSync(join(place.stateFolder(), "workspace.json"), "utf8");
    expect(kept).not.toContain(product.ready.tokens.edit.slice(-32));

    await using trap = new Place();
    symlinkSync(place.root, join(trap.root, "run", "pairpty"));
    const refused = await trap.ask([]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("not a folder that you own"),
    ]);
  });

  test("C24 what others chose does not steer the terminal that lists it", async () => {
    const cwd = join(place.folder, "e\u001B]0;owned\u0007\u202Eltit");
    mkdirSync(cwd);
    const { id } = await product.open({ cwd, command: ["/bin/cat"] });
    const { stdout } = await place.run(["ls"]);
    expect(stdout).toMatch(new RegExp(`${id} +\\d+ +user`));
    expect(stdout).toContain(String.raw`e\u{1b}]0;owned\u{7}\u{202e}ltit`);
    expect(stdout).not.toMatch(/[^\n\P{C}]/u);
  });

  test("G8 revoking what a connection on this machine was granted cuts it: no call is served, no output sent", async () => {
    const { id } = await product.open({ command: ["/bin/cat"] });
    const grants = async (): Promise<{ id: string; label: string }[]> =>
      JSON.parse((await place.run(["grants", "--json"])).stdout);
    for (const [name, label] of [
      ["mcp.sock", "reviewer"],
      ["terminal.sock", "the host's terminal"],
    ] as const) {
      const socket = connect(join(place.runtimeFolder(), name)).on("error", () => {});
      if (name === "mcp.sock") socket.write(introduced(label));
      const closed = new Promise((resolve) => {
        socket.once("close", resolve);
      });
      // Read, or its end would not be told.
      socket.resume();
      const its = async () => (await grants()).find((grant) => grant.label === label);
      await until(`${label} is there`, async () => (await its()) !== undefined);
      expect((await place.run(["revoke", (await its())?.id ?? ""])).code).toBe(0);
      await within(closed, `${name} was not cut`);
      expect(await its()).toBeUndefined();
    }
    expect(await (await product.http("/pty")).json()).toContainEqual(
      expect.objectContaining({ id }),
    );
  });

  test("R10 G2 G9 a link that runs out closes its sockets, and is a line in the log", async () => {
    const made = await place.run([
      "share",
      "--role",
      "edit",
      "--expires",
      "2s",
      "--json",
      ...place.code,
    ]);
    const { token, grant } = JSON.parse(made.stdout);
    using client = await PlainClient.connect(product.ready.endpoints.peer, token);
    await client.ofType("pty:terminals");
    expect((await client.closes()).code).toBe(4401);
    const itsEnd = async () =>
      (await place.run(["audit", "--json"])).stdout
        .split("\n")
        .find((line) => line.includes("grant expired") && line.includes(grant.id));
    await until("its end is written down", async () => (await itsEnd()) !== undefined);
    expect(JSON.parse((await itsEnd()) ?? "")).toMatchObject({
      event: "grant expired",
      grant: grant.id,
    });
    expect((await product.http("/health")).status).toBe(200);
  });

  test("C31 the log calls an agent by one name, in the verdict as in the call", async () => {
    const agent = await localAgent(place, "pairpty", ["mcp"]);
    const name = "spawn_background_terminal";
    await agent.callTool({ name, arguments: { cwd: ".", command: ["rm", "x"] } });
    await agent.close();
    const { stdout } = await place.run(["audit"]);
    const lines = stdout.split("\n").filter((line) => line.includes('["rm","x"]'));
    expect(lines.map((line) => line.split("  ").slice(1, 3))).toEqual([
      ["claude-code", "verdict · blocked"],
      ["claude-code", expect.stringMatching(/^spawn_background_terminal · /)],
    ]);
  });

  test("C34 C90 C91 C92 C93 share and connect say what an agent's token may do, and grants shows what differs", async () => {
    const flags = ["--tools", "terminals,sessions", "--isolation", "sandbox", "--trust-client"];
    const made = await place.run([
      "share",
      "--role",
      "agent",
      ...flags,
      "--label",
      "kept",
      "--json",
      ...place.code,
    ]);
    const { token, grant, ...rest } = JSON.parse(made.stdout);
    // Where there is no sandbox, the answer says so beside the token.
    const refused = (await canSandbox()) ? {} : { refused: expect.stringContaining("bubblewrap") };
    expect(rest).toEqual(refused);
    expect(token).toContain(`pp_${grant.id}_`);
    const terms = { tools: ["terminals", "sessions"], isolation: "sandbox", trustClient: true };
    expect(grant).toMatchObject({
      role: "agent",
      scopes: ["read", "spawn"],
      label: "kept",
      ...terms,
    });
    expect(grant).not.toHaveProperty("hash");
    const connected = await place.run([
      "connect",
      "codex",
      "--tools",
      "panels",
      "--json",
      ...place.code,
    ]);
    const asked = { tools: ["panels"], spawnApproval: "unknown", label: "codex" };
    expect(JSON.parse(connected.stdout).grant).toMatchObject(asked);
    await place.run(["share", "--role", "agent", "--label", "plain", ...place.code]);
    const listed = (await place.run(["grants"])).stdout;
    expect(listed).toMatch(
      /kept\s+tools terminals,sessions; isolation sandbox; its client can approve$/m,
    );
    expect(listed).toMatch(/codex\s+tools panels; unknown commands need approval$/m);
    expect(listed).toMatch(/\splain\s+default$/m);
  });

  test("S31 whoever is told the links, or comes in by a local socket, leaves a line in the log", async () => {
    const log = async () => (await place.run(["audit"])).stdout;
    const count = async (line: RegExp) => (await log()).match(line)?.length ?? 0;
    // A link that is made is a line of its own, and tells nobody the others.
    const countBefore = await count(/links shown/g);
    await place.run(["share", "--label", "Ada", ...place.code]);
    expect(await count(/Ada {2}grant granted/g)).toBe(1);
    expect(await count(/links shown/g)).toBe(countBefore);
    const { code } = product.ready;
    const reply = await requestBridge(join(place.runtimeFolder(), "bridge.sock"), {
      verb: "ready",
      code,
    });
    expect(reply?.tokens.edit).toMatch(/^pp_/);
    expect(await count(/this machine {2}links shown/g)).toBe(countBefore + 1);
    expect(await log()).not.toContain(reply?.tokens.edit);
    for (const [name, label] of [
      ["terminal.sock", "the host's terminal"],
      ["mcp.sock", "auditor"],
    ] as const) {
      const line = new RegExp(`${label} {2}grant granted`, "g");
      const before = await count(line);
      const socket = connect(join(place.runtimeFolder(), name));
      if (name === "mcp.sock") socket.write(introduced(label));
      await until(`${name} is in the log`, async () => (await count(line)) === before + 1);
      socket.destroy();
    }
  });
});

describe("a folder's bridges", () => {
  /** A link that outlives its bridge. */
  let durable = "";

  const share = async () =>
    JSON.parse((await place.run(["share", "--role", "edit", "--json", ...place.code])).stdout)
      .token as string;

  test("G4 G19 share, grants and revoke: a durable link works, is listed, and is shown this once", async () => {
    const { relay, workspace } = product.ready;
    const made = await place.run([
      "share",
      "--role",
      "view",
      "--expires",
      "2h",
      "--label",
      "Ada",
      ...place.code,
    ]);
    expect(made.code).toBe(0);
    expect(made.stderr).toContain("This link works only on this machine");
    const link = made.stdout.trim();
    expect(link).toMatch(new RegExp(`^${relay}/w/${workspace}#pp_`));
    durable = link.split("#")[1] ?? "";
    const id = TOKEN_PATTERN.exec(durable)?.[1] ?? "";
    const listed = await place.run(["grants", "--json"]);
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ id, role: "view", label: "Ada", session: false }),
    );
    expect(listed.stdout).not.toContain(durable.slice(-32));
  });

  test("G19 share --role edit makes a link for a day, unless --expires says otherwise", async () => {
    const lifetime = async (...flags: string[]) => {
      const before = Date.now();
      const args = ["share", "--role", "edit", "--json", ...flags, ...place.code];
      const { grant } = JSON.parse((await place.run(args)).stdout);
      expect((await place.run(["revoke", grant.id])).code).toBe(0);
      // Rounded to minutes: the call itself takes a moment.
      return Math.floor((grant.expiresAt - before) / 60_000);
    };
    expect(await lifetime()).toBe(24 * 60);
    expect(await lifetime("--expires", "3d")).toBe(3 * 24 * 60);
  });

  test("E4 SIGTERM ends terminals, pty host and relay; nothing is left", async () => {
    await product.open();
    await product.open({
      command: ["/bin/sh", "-c", "trap '' HUP TERM; setsid sleep 1000 & sleep 1000"],
    });
    expect(listProcesses(place.root).length).toBeGreaterThan(4);
    // Told twice, it ends once, and no sooner.
    process.kill(product.pid, "SIGTERM");
    expect(await product.stop()).toBe(0);
    expect(listProcesses(place.root)).toEqual([]);
    const { stdout } = await place.run(["audit"]);
    const created = stdout.match(/terminal created/g)?.length ?? 0;
    expect(created).toBeGreaterThan(1);
    expect(stdout.match(/terminal closed/g)).toHaveLength(created);
  });

  test("C3 id, key and port are kept per folder", async () => {
    product = await place.start();
    const { workspace, relay, tokens } = product.ready;
    expect([workspace, relay]).toEqual([first.ready.workspace, first.ready.relay]);
    expect(tokens.edit).not.toBe(first.ready.tokens.edit);
  });

  test("G3 G4 G19 a durable link outlives its bridge, the banner's do not; a revoked one ends at once", async () => {
    const { peer } = product.ready.endpoints;
    using ada = await PlainClient.connect(peer, durable);
    expect((await ada.ofType("pty:terminals"))["role"]).toBe("view");
    using stale = await PlainClient.connect(peer, first.ready.tokens.edit);
    expect((await stale.closes()).code).toBe(4401);
    const id = TOKEN_PATTERN.exec(durable)?.[1] ?? "";
    expect((await place.run(["revoke", id])).code).toBe(0);
    expect((await ada.closes()).code).toBe(4401);
    using again = await PlainClient.connect(peer, durable);
    expect((await again.closes()).code).toBe(4401);
    const twice = await place.run(["revoke", id]);
    expect([twice.code, twice.stderr]).toEqual([
      2,
      expect.stringContaining(`unknown link or token ${id}`),
    ]);
  });

  test("G6 C5 --new ends every link of before, after a crash too: the new room takes none, and the old one refuses them", async () => {
    const before = product;
    const shared = await share();
    const terminals: unknown = await (await before.http("/pty")).json();
    using guest = await PlainClient.connect(before.ready.endpoints.peer, before.ready.tokens.view);
    await guest.ofType("pty:terminals");
    await before.kill();
    product = await place.start("--new");
    expect(product.ready.workspace).not.toBe(before.ready.workspace);
    // The pty host, whose terminals are back, would hand the banner's links on.
    expect(await (await product.http("/pty")).json()).toEqual(terminals);
    const { edit, view, agent } = before.ready.tokens;
    for (const token of [shared, edit, view, agent]) {
      expect((await product.http("/pty", { token })).status).toBe(401);
    }
    expect(JSON.parse((await place.run(["grants", "--json"])).stdout)).toHaveLength(4);
    expect((await guest.closes()).code).toBe(4401);
    expect((await before.http("/pty", { token: shared })).status).toBe(401);

    // What a start that comes to nothing leaves behind is not the old list either.
    await product.kill();
    const { server, port } = await takePort();
    const failed = await place.run(["--new", "--port", String(port)]);
    expect([failed.code, failed.stderr]).toEqual([5, expect.stringContaining("is in use")]);
    server.close();
    const last = await place.start("--port", String(port));
    expect(last.ready.relay).toBe(`http://127.0.0.1:${port}`);
    expect((await last.http("/pty", { token: product.ready.tokens.edit })).status).toBe(401);
    product = last;
  });
});

test("C5 C30 C86 mistakes in the call exit 2 with a sentence, a missing bridge 3, a relay out of reach 5", async () => {
  await using other = new Place();
  const wrong = join(other.root, "config.json");
  writeFileSync(wrong, JSON.stringify({ shell: "/bin/sh", colour: 1 }));
  const cases: [string[], number, RegExp][] = [
    [["--prot", "1"], 2, /Did you mean --port/],
    [["strat"], 2, /unknown command "strat"/],
    [["--cwd", "/", "status"], 2, /The command comes first/],
    [["revoke", "nonsense"], 2, /10 letters and digits/],
    [["--port", "99999"], 2, /from 1 to 65535, or 0/],
    [["relay", "--port", "-1"], 2, /from 1 to 65535, or 0/],
    [["--port", ""], 2, /from 1 to 65535, or 0/],
    [["--cwd", ""], 2, /"" is not a folder/],
    [["ls", "--cwd", ""], 2, /"" is not a folder/],
    [["--cwd", "/no/such/folder"], 2, /is not a folder/],
    [["--workspace", "No Spaces"], 2, /is not a workspace's name/],
    [["--relay", "http://relay.example.com"], 2, /not encrypted/],
    [["--relay", "foo"], 2, /--relay: "foo" is not a relay's address[^]*with https:\/\//],
    [["--config", "/no/such/file"], 2, /does not exist/],
    [["--config", wrong], 2, /colour/],
    [["--log-level", "loud"], 2, /Allowed choices/],
    [["--shell", "/no/such/shell"], 2, /--shell: Command not found/],
    [["share", "--expires", "soon"], 2, /is not a duration/],
    [["share", "--label", "a\u202Eb"], 2, /has the character U\+202E/],
    [["share", "--label", "two\nlines"], 2, /has the character U\+000A/],
    [["share", "--label", "x".repeat(81)], 2, /At most 80 characters/],
    [["share", "--role", "root"], 2, /Allowed choices/],
    [["share", "--scopes", "read"], 2, /--scopes is for agents[^]*--role agent/],
    [["share", "--role", "edit", "--scopes", "type"], 2, /--scopes is for agents/],
    [["share", "--tools", "panels"], 2, /--tools is for agents[^]*--role agent/],
    [["share", "--isolation", "none"], 2, /--isolation is for agents/],
    [["share", "--role", "edit", "--trust-client"], 2, /--trust-client is for agents/],
    [["share", "--role", "agent", "--tools", "all"], 2, /are terminals, sessions, panels/],
    [["share", "--role", "agent", "--isolation", "jail"], 2, /Allowed choices/],
    [
      ["connect"],
      2,
      /missing required argument 'client'\. Allowed choices are claude-code, codex,/,
    ],
    [["agents-type", "1"], 2, /missing required argument 'state'\. Allowed choices are on, off\./],
    [["close"], 2, /missing required argument 'id'\n/],
    [["ls"], 3, /pairpty is not running in/],
    [["status"], 3, /pairpty is not running in/],
    [["revoke", "0123456789"], 3, /pairpty is not running in/],
    [["--help"], 0, /^$/],
  ];
  await Promise.all(
    cases.map(async ([args, code, stderr]) => {
      const result = await other.ask(args);
      expect(result.code, `${args.join(" ")}: ${result.stderr}`).toBe(code);
      expect(result.stderr, args.join(" ")).toMatch(stderr);
      expect(result.stderr).not.toMatch(/\n\s+at /);
    }),
  );
});

test("C26 every usual word for it prints the version, alone", async () => {
  await using other = new Place();
  const words = ["-v", "-V", "--version", "version"];
  const reply = await Promise.all(words.map(async (word) => await other.run([word])));
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(reply).toEqual(words.map(() => ({ code: 0, stdout: `${version}\n`, stderr: "" })));
});

test("C29 a state folder that cannot be made is said at once", async () => {
  await using other = new Place({ HOME: "/proc", XDG_STATE_HOME: undefined });
  // What the doctor says of it is in bridge/doctor/doctor.test.ts.
  // In processes of their own: where a home is, the program looks at when it is loaded.
  for (const args of [[], ["audit", "--follow"]]) {
    const { code, stdout, stderr } = await other.run(args);
    expect([code, stdout + stderr], args.join(" ")).toEqual([
      2,
      expect.stringMatching(/\/proc\/\S+ cannot be created: /),
    ]);
  }
});

test("C60 where nothing ever ran, asking leaves nothing behind, and says so", async () => {
  await using other = new Place();
  const asked = ["ls", "status", "grants", "stop", "audit", "logs", "mcp", "share"];
  const reply = await Promise.all(asked.map(async (verb) => await other.run([verb])));
  const none = [3, expect.stringContaining("pairpty is not running in")];
  const empty = [0, expect.stringMatching(/^No (agent|matching) .*work/)];
  expect(reply.map(({ code, stderr }) => [code, stderr])).toEqual(
    asked.map((verb) => (verb === "audit" || verb === "logs" ? empty : none)),
  );
  expect(other.states()).toEqual([]);
  expect(existsSync(join(other.root, "run", "pairpty"))).toBe(false);
});
