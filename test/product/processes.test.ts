// The processes and their ends: who outlives whom, who adopts whom, and who is ended.

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listeningPorts, listProcesses } from "../support/processes.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { until } from "../support/waiting.ts";

const CAT = { command: ["/bin/cat"] };

/** One place, whose bridge is killed, hung up and stopped: each test goes on where the last one ended. */
describe("a bridge and the next one", () => {
  const temporary = mkdtempSync(join(tmpdir(), "pp-tmp-"));
  let place: Place;
  let product: Product;

  beforeAll(() => {
    place = new Place({ TMPDIR: temporary });
  });
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    rmSync(temporary, { recursive: true });
  });

  const terminals = async (token?: string): Promise<unknown> =>
    await (await product.http("/pty", token === undefined ? {} : { token })).json();

  test("E8 a start that fails leaves no process", async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as AddressInfo).port));
    });
    expect((await place.run(["--port", String(port)])).code).toBe(5);
    taken.close();
    expect((await place.ask(["--relay", "http://relay.example.com"])).code).toBe(2);
    expect(listProcesses(place.root)).toEqual([]);
  });

  /** Two who come by the sockets of this machine, and are gone with the bridge. */
  const comeLocally = async (): Promise<void> => {
    for (const name of ["terminal.sock", "mcp.sock"]) {
      const socket = createConnection(join(place.runtimeFolder(), name));
      socket.on("error", () => socket.destroy());
      const introduction = JSON.stringify({ pairpty: { name: "reviewer" } });
      if (name === "mcp.sock") socket.write(`${introduction}\n`);
    }
    await until("both are there", async () => (await labels()).length === 6);
    expect(await labels()).toEqual(expect.arrayContaining(["the host's terminal", "reviewer"]));
  };

  const labels = async (): Promise<string[]> =>
    JSON.parse((await place.run(["grants", "--json"])).stdout).map(
      ({ label }: { label: string }) => label,
    );

  test("E2 G3 G7 G26 C27 after kill -9 the next bridge finds terminals, sizes, owners, the old links and local agents; its relay is as good as any", async () => {
    const first = await place.start();
    const { id, epoch } = await first.open({ ...CAT, cols: 77, rows: 21 });
    using client = await PlainClient.connect(first.ready.endpoints.peer, first.ready.tokens.edit);
    client.attach(id);
    client.type(id, "before\n");
    await client.shows(id, /before\r\nbefore/);
    await comeLocally();
    const from = client.messages.length;
    await first.kill();
    const away = await client.message((m) => m["state"] === "away", "bridge: away", 15_000, from);
    expect(away["since"]).toBeGreaterThan(0);
    product = await place.start("--port", "0");
    expect(product.ready.relay, "C27").toBe(first.ready.relay);
    // The banner's of before and those of now; a terminal's grant is gone with its bridge.
    const another = expect.stringMatching(/^agent link \S+$/);
    const kept = ["", "", "agent link", "the host", "reviewer"];
    expect(await labels(), "G7 G12").toEqual([...kept, "", "", another, "the host"]);
    await client.message((m) => m["state"] === "here", "bridge: here", 15_000, from);
    expect(await terminals(first.ready.tokens.edit)).toMatchObject([
      { id, epoch, cols: 77, rows: 21, owner: "user", command: ["/bin/cat"] },
    ]);
    // Still attached, on the same socket, with the old link.
    client.type(id, "after\n");
    await client.shows(id, /after\r\nafter/);
    const { endpoints, tokens } = product.ready;
    using other = await PlainClient.connect(endpoints.peer, tokens.view);
    other.attach(id);
    expect((await other.ofType("pty:attached")).history).toMatch(/before[^]*after/);
  });

  test("E2 E3 a hang-up leaves terminals and relay to the next bridge; a relay that does not answer it is ended by its recorded pid and replaced on the same port", async () => {
    const before = await terminals();
    const { relay } = product.ready;
    const { processes } = place.relayProcesses();
    const hungUp = once(product.child, "exit");
    product.child.kill("SIGHUP");
    await hungUp;
    expect(place.processesRunning("pty-host.js"), "E2").toHaveLength(1);
    for (const { pid } of processes) {
      expect(listProcesses(place.root), "E2").toContain(pid);
      process.kill(pid, "SIGSTOP");
    }
    product = await place.start();
    expect(product.ready.relay).toBe(relay);
    expect(await terminals(), "E2").toEqual(before);
    const now = place.relayProcesses().processes.map(({ pid }) => pid);
    for (const { pid } of processes) {
      expect(now).not.toContain(pid);
      expect(listProcesses(place.root)).not.toContain(pid);
    }
    expect((await product.http("/health")).status).toBe(200);
  });

  test("E3 E16 after bridge, pty host and relay were killed the next start ends what their terminals left, and a workerd without its parent does not keep the port", async () => {
    const daemon = "trap '' HUP; setsid sh -c 'echo up; exec sleep 7531' & wait";
    const { id } = await product.open({ command: ["/bin/sh", "-c", daemon] });
    const { endpoints, tokens, relay } = product.ready;
    using client = await PlainClient.connect(endpoints.peer, tokens.edit);
    client.attach(id);
    await client.shows(id, /up/);
    const left = () =>
      listProcesses(place.root).filter((pid) => place.readCommand(pid).trim() === "sleep 7531");
    await until("the daemon runs", () => left().length === 1);
    const host = product.hostPid();
    const [supervisor, workerd] = place.relayProcesses().processes;
    await product.kill();
    process.kill(host, "SIGKILL");
    process.kill(supervisor?.pid ?? 0, "SIGKILL");
    expect(listProcesses(place.root)).toContain(workerd?.pid);
    product = await place.start();
    expect(product.ready.relay, "E3").toBe(relay);
    expect(listProcesses(place.root), "E3").not.toContain(workerd?.pid);
    await until("E8 the daemon is gone", () => left().length === 0);
  });

  test("E4 E15 a stop just after the pty host died, while another is being started, leaves no process and no temporary file", async () => {
    const from = product.events.length;
    process.kill(product.hostPid(), "SIGKILL");
    await product.event("host_lost", { from });
    await product.stop();
    expect(listProcesses(place.root)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

/** One bridge, whose parts die one after the other. */
describe("a bridge that runs", () => {
  let place: Place;
  let product: Product;

  beforeAll(async () => {
    place = new Place({ AWS_SECRET_ACCESS_KEY: "of the user" });
    product = await place.start();
  });
  afterAll(() => place[Symbol.asyncDispose]());

  test("E7 the relay's processes listen on the relay's own port and nowhere else", async () => {
    const { port, processes } = place.relayProcesses();
    expect(processes).toHaveLength(2);
    expect(processes.flatMap(({ pid }) => listeningPorts(pid))).toEqual([port]);
    expect(new URL(product.ready.relay).port).toBe(String(port));
  });

  test("E14 the Worker gets nothing of the user's environment", () => {
    const [, workerd] = place.relayProcesses().processes;
    expect(readFileSync(`/proc/${workerd?.pid}/environ`, "utf8")).toBe("");
  });

  test("E5 a relay elsewhere needs no workerd", async () => {
    await using other = new Place();
    // The bridge beside a node_modules that has all that it needs but workerd.
    const app = join(other.root, "app");
    mkdirSync(join(app, "node_modules"), { recursive: true });
    const isNeeded = (path: string) => !path.endsWith(".map");
    cpSync("dist/bridge", join(app, "dist/bridge"), { recursive: true, filter: isNeeded });
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (name === "workerd") continue;
      symlinkSync(join(process.cwd(), "node_modules", name), join(app, "node_modules", name));
    }
    const cli = join(app, "dist", "bridge", "cli.js");
    const guest = await other.startFrom(cli, "--relay", product.ready.relay, "--e2e", "off");
    expect((await guest.http("/health")).status).toBe(200);
    await guest.stop();
    const refused = await other.runFrom(cli, ["--json"]);
    expect([refused.code, refused.stderr]).toEqual([
      5,
      expect.stringContaining("the package workerd"),
    ]);
  });

  test("E13 the bridge goes to its relay by a socket of the user's alone, also when workerd was killed", async () => {
    const runtime = place.environment["XDG_RUNTIME_DIR"] ?? "";
    const found = readdirSync(runtime, { recursive: true, encoding: "utf8" });
    const socket = join(runtime, found.find((path) => path.endsWith("link.sock")) ?? "missing");
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    const connected = () => readFileSync("/proc/net/unix", "utf8").split(socket).length - 1;
    // One entry listens, another is the link's end.
    await until("its link is a socket", () => connected() > 1);
    const from = product.events.length;
    for (const { pid } of place.relayProcesses().processes.slice(-1)) process.kill(pid, "SIGKILL");
    // The news of the first link may still be on its way.
    const lost = await product.event("link_lost", { from });
    await product.event("link_up", { from: product.events.indexOf(lost) });
    await until("its link is a socket again", () => connected() > 1);
  });

  test("E10 however many connect to the local sockets, the bridge lives and others can share", async () => {
    const sockets = [];
    for (const name of ["terminal.sock", "mcp.sock", "bridge.sock"]) {
      for (let count = 0; count < 150; count++) {
        const socket = createConnection(join(place.runtimeFolder(), name)).on("error", () => {});
        sockets.push(socket);
        await Promise.race([once(socket, "connect"), once(socket, "close")]);
      }
    }
    expect((await place.run(["share", "--json"])).code).toBe(0);
    expect((await product.http("/health")).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test("T5 E12 a pty host that dies: its terminals are told closed, their processes are gone, and new ones open", async () => {
    const { id } = await product.open({
      command: ["/bin/sh", "-c", "trap '' HUP; setsid sleep 6543 & wait"],
    });
    const { endpoints, tokens } = product.ready;
    using client = await PlainClient.connect(endpoints.peer, tokens.edit);
    client.attach(id);
    await client.ofType("pty:attached");
    const host = product.hostPid();
    const from = product.events.length;
    process.kill(host, "SIGKILL");
    const closed = await client.message((m) => m["event"] === "closed", "closed");
    expect(closed).toMatchObject({ terminal: { id } });
    expect(await product.event("host_lost", { from })).toMatchObject({ terminals: 1 });
    await product.event("link_up", { from });
    const left = listProcesses(place.root).map((pid) => place.readCommand(pid).trim());
    expect(left).not.toContain("sleep 6543");
    const next = await product.open(CAT);
    expect(next.id).not.toBe(id);
    expect(product.hostPid()).not.toBe(host);
    expect(await (await product.http("/pty")).json()).toMatchObject([{ id: next.id }]);
  });

  // The second time for this bridge.
  test("E12 a pty host that is killed again is replaced again", async () => {
    const open = product.events.length;
    const [{ id }] = (await (await product.http("/pty")).json()) as [{ id: string }];
    await product.http(`/pty/${id}`, { method: "DELETE" });
    await product.event("terminal_closed", { from: open });
    const host = product.hostPid();
    const from = product.events.length;
    process.kill(host, "SIGKILL");
    expect(await product.event("host_lost", { from })).toMatchObject({ terminals: 0 });
    await product.event("link_up", { from });
    expect(await product.event("link_lost", { from })).toMatchObject({ own: true });
    expect(product.hostPid()).not.toBe(host);
    await product.open(CAT);
  });

  test("E6 a relay whose process is killed is back on the same port", async () => {
    for (const both of [false, true]) {
      const [relay, workerd] = place.relayProcesses().processes;
      const from = product.events.length;
      process.kill(relay?.pid ?? 0, "SIGKILL");
      if (both) process.kill(workerd?.pid ?? 0, "SIGKILL");
      await product.event("link_up", { from });
      expect((await product.http("/health")).status).toBe(200);
      expect(place.relayProcesses().processes[0]?.pid).not.toBe(relay?.pid);
    }
    expect(product.stderr()).not.toMatch(/no new relay|in use/);
  });

  test("E4 E6 a stop just after the relay died, while another is being started, leaves nothing", async () => {
    const [relay] = place.relayProcesses().processes;
    const from = product.events.length;
    process.kill(relay?.pid ?? 0, "SIGKILL");
    await product.event("link_lost", { from });
    // Nobody is left to be told: what is recorded is ended all the same.
    await product.stop();
    expect(listProcesses(place.root)).toEqual([]);
  });
});
