// The pty dialect through the whole chain: command line, pty host, relay in workerd, socket.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compact } from "../../protocol/compact.ts";
import { HISTORY_BYTES, MAX_INPUT_CHARS, MiB } from "../../protocol/limits.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { Tty } from "../support/tty.ts";
import { until } from "../support/waiting.ts";

let place: Place;
let product: Product;

beforeAll(async () => {
  place = new Place();
  product = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

const connect = (role: "edit" | "view" | "agent" = "edit") =>
  PlainClient.connect(product.ready.endpoints.peer, product.ready.tokens[role]);
const bash = (script: string) => ({ command: ["/bin/bash", "-c", script] });
/** Runs until somebody types a line. */
const held = (script: string) => bash(`${script}; read -r`);

test("D1 a client that knows only the documented messages attaches, types, resizes and sees the exit", async () => {
  using client = await connect();
  const { id } = await product.open();
  client.send({ type: "pty:attach", id });
  expect((await client.ofType("pty:attached")).id).toBe(id);
  client.send({ type: "pty:resize", id, cols: 101, rows: 37 });
  client.send({ type: "pty:input", id, data: "stty size; echo done-$((40+2))\n" });
  await client.shows(id, "37 101");
  await client.shows(id, "done-42");
  client.send({ type: "pty:input", id, data: "exit 3\n" });
  expect(await client.ofType("pty:exit")).toMatchObject({ id, exitCode: 3 });
});

test("D1 whoever attaches later gets the history; detached, they get no more", async () => {
  const { id } = await product.open(held("echo early; read -r; echo late"));
  using first = await connect();
  first.attach(id);
  await first.shows(id, "early");
  using second = await connect();
  second.attach(id);
  expect((await second.ofType("pty:attached")).history).toContain("early");
  second.send({ type: "pty:detach", id });
  second.send({ type: "pty:ack", id: "pty-000000", offset: 0 });
  await second.ofType("pty:error");
  first.type(id, "\n");
  await first.shows(id, "late");
  expect(second.text.get(id)).not.toContain("late");
});

test("D1 a long history is the last 64 KiB, from the start of a line", async () => {
  const { id } = await product.open(held("seq 1 30000; echo end"));
  using watcher = await connect();
  watcher.attach(id);
  await watcher.shows(id, /\bend\b/);
  using late = await connect();
  late.attach(id);
  const { history = "" } = await late.ofType("pty:attached");
  expect(history.length).toBeLessThanOrEqual(HISTORY_BYTES);
  expect(history.length).toBeGreaterThan(HISTORY_BYTES - 4096);
  const lines = history.split("\r\n");
  expect(lines[0]).toMatch(/^\d{5}$/);
  expect(Number(lines[1])).toBe(Number(lines[0]) + 1);
});

test("D2 attaching with epoch and offset gives exactly what is missing", async () => {
  const { id, epoch } = await product.open(held("seq 1 20000; echo end"));
  using watcher = await connect();
  watcher.attach(id, { epoch, offset: 0 });
  await watcher.shows(id, /\bend\b/);
  const all = watcher.text.get(id) ?? "";
  expect(all.startsWith("1\r\n2\r\n")).toBe(true);
  using late = await connect();
  late.attach(id, { epoch, offset: 50_000 });
  const attached = await late.ofType("pty:attached");
  expect(attached).toMatchObject({ offset: 50_000, next: 50_000 });
  expect(attached.history).toBeUndefined();
  await late.shows(id, /\bend\b/);
  expect(late.text.get(id)).toBe(all.slice(50_000));
  const nothing = await connect();
  nothing.attach(id, { epoch, offset: all.length });
  expect((await nothing.ofType("pty:attached")).history).toBeUndefined();
  nothing.close();
});

test("D2 another epoch, or an offset that cannot be had, gives a new history", async () => {
  const { id, epoch } = await product.open(held("echo here"));
  using client = await connect();
  client.attach(id);
  await client.shows(id, "here");
  for (const wrong of [
    { epoch: epoch + 1, offset: 0 },
    { epoch, offset: 1_000_000 },
  ]) {
    const from = client.messages.length;
    client.attach(id, wrong);
    expect((await client.ofType("pty:attached", from)).history).toContain("here");
  }
});

test("D3 characters are whole even when the program prints them byte by byte", async () => {
  const script = `for c in '\\xf0' '\\x9f' '\\x98' '\\x80' '\\xe4' '\\xbd' '\\xa0'; do printf "$c"; sleep 0.03; done`;
  const { id } = await product.open(bash(`read -r; ${script}; printf 'end'; read -r`));
  using client = await connect();
  client.attach(id);
  await client.ofType("pty:attached");
  client.type(id, "\n");
  const text = await client.shows(id, "end");
  expect(text).toContain("😀你end");
  const datas = client.messages.filter(({ type }) => type === "pty:output");
  for (const { data } of datas) expect(data).not.toContain("\ufffd");
});

test("D4 a view link attaches and may do nothing else", async () => {
  const { id } = await product.open(held("echo look"));
  using viewer = await connect("view");
  viewer.attach(id);
  await viewer.shows(id, "look");
  for (const message of [
    { type: "pty:input", id, data: "\n" },
    { type: "pty:resize", id, cols: 20, rows: 5 },
    { type: "pty:close", id },
  ]) {
    const from = viewer.messages.length;
    viewer.send(message);
    expect(await viewer.ofType("pty:error", from)).toMatchObject({ id, code: "forbidden" });
  }
  const spawn = await product.http("/pty/spawn", {
    method: "POST",
    token: product.ready.tokens.view,
  });
  expect(spawn.status).toBe(403);
  const close = await product.http(`/pty/${id}`, {
    method: "DELETE",
    token: product.ready.tokens.view,
  });
  expect(close.status).toBe(403);
});

test("D5 every kind of bad message gets its pty:error, and no one else is disturbed", async () => {
  const { id } = await product.open(held("echo fine"));
  using bystander = await connect();
  bystander.attach(id);
  await bystander.shows(id, "fine");
  const before = bystander.messages.length;
  using client = await connect();
  const cases: [string | object, object][] = [
    ["{nonsense", { code: "bad_request", error: "The message is not JSON" }],
    ["[]", { code: "bad_request" }],
    ["null", { code: "bad_request" }],
    [
      { type: "pty:explode", id },
      { code: "bad_request", id, error: "Unknown message type: pty:explode" },
    ],
    [{ type: "pty:attach" }, { code: "bad_request" }],
    [
      { type: "pty:attach", id: "pty-nothere" },
      { code: "not_found", error: "Session not found" },
    ],
    [
      { type: "pty:resize", id, cols: 0, rows: 5 },
      { code: "bad_request", id },
    ],
    [
      { type: "pty:resize", id, cols: 80.5, rows: 5 },
      { code: "bad_request", id },
    ],
    [
      { type: "pty:input", id, data: 7 },
      { code: "bad_request", id },
    ],
    [
      { type: "pty:input", id, data: "x".repeat(MAX_INPUT_CHARS + 1) },
      { code: "too_large", id },
    ],
    [
      { type: "pty:attach", id, epoch: 1, offset: -1 },
      { code: "bad_request", id },
    ],
    [
      { type: "__proto__", id },
      { code: "bad_request", id },
    ],
  ];
  for (const [message, answer] of cases) {
    const from = client.messages.length;
    client.send(message);
    expect(
      await client.ofType("pty:error", from),
      JSON.stringify(message).slice(0, 80),
    ).toMatchObject(answer);
  }
  client.send("x".repeat(200_000));
  expect((await client.closes()).code).toBe(1009);
  expect(bystander.messages.length).toBe(before);
  bystander.type(id, "\n");
  expect(await bystander.ofType("pty:exit")).toMatchObject({ exitCode: 0 });
});

test("D6 spawn takes folder, command, size and environment, and tells the metadata", async () => {
  using client = await connect();
  const terminal = await product.open({
    cwd: "/usr",
    command: ["/bin/sh", "-c", "pwd; echo $COLOUR; stty size; read -r x"],
    cols: 91,
    rows: 17,
    env: { COLOUR: "teal" },
  });
  expect(terminal).toMatchObject({ cwd: "/usr", owner: "user", visible: true, cols: 91, rows: 17 });
  expect(terminal["command"]).toHaveLength(3);
  client.attach(terminal.id);
  await client.shows(terminal.id, /\/usr\r\nteal\r\n17 91/);
  const list = await (await product.http("/pty")).json();
  expect(list).toContainEqual(terminal);
});

test("D6 closing answers 204, and once more is as good", async () => {
  const { id } = await product.open();
  expect((await product.http(`/pty/${id}`, { method: "DELETE" })).status).toBe(204);
  expect((await product.http(`/pty/${id}`, { method: "DELETE" })).status).toBe(204);
  const unknown = await product.http("/pty/pty-000000", { method: "DELETE" });
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({ code: "not_found" });
});

test("D6 T1 a spawn that cannot be is said before anything starts", async () => {
  const plainFile = join(place.folder, "notes.txt");
  writeFileSync(plainFile, "", { mode: 0o644 });
  const cases: [object | string, number, RegExp][] = [
    [{ command: ["no-such-program-here"] }, 422, /Command not found: no-such-program-here/],
    [{ command: [plainFile] }, 422, /Not executable/],
    [{ command: ["/etc"] }, 422, /Not a program/],
    [{ cwd: "/no/such/folder" }, 422, /Folder not found/],
    [{ cwd: plainFile }, 422, /Not a folder/],
    [{ command: [] }, 400, /command/],
    [{ command: "ls" }, 400, /command/],
    [{ cols: 0 }, 400, /cols/],
    [{ nonsense: 1 }, 400, /nonsense/],
    [{ env: { "A=B": "x" } }, 400, /env/],
    ["{", 400, /not JSON/],
  ];
  for (const [body, status, error] of cases) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await product.http("/pty/spawn", { method: "POST", body: text });
    expect(response.status, text).toBe(status);
    expect((await response.json()).error, text).toMatch(error);
  }
  const wrong = await product.http("/pty/spawn");
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await product.http("/nothing")).status).toBe(404);
});

/** As it stands, to the relay: `fetch` would put the address in order first. */
function knock(path: string, method = "GET"): Promise<{ status: number; text: string }> {
  const { relay, tokens } = product.ready;
  const { hostname, port } = new URL(relay);
  const headers = { authorization: `Bearer ${tokens.edit}` };
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on("error", reject).end();
  });
}

test("D20 an address that cannot be read is said so at every HTTP door, and is no fault", async () => {
  const inside = `/w/${product.ready.workspace}`;
  const odd = [
    "/%E0%A4%A",
    "/%",
    "/%00",
    "//[",
    "//[.js",
    "//host:99999/x.js",
    "/%zz?%E0=%",
    "/..%2f",
  ];
  for (const door of [
    inside,
    `${inside}/pty`,
    `${inside}/mcp`,
    `${inside}/health`,
    "",
    "/w",
    "/assets",
  ]) {
    for (const path of odd) {
      // By which method is asked makes no difference: one address shows it for each door.
      for (const method of path === odd[0] ? ["GET", "DELETE"] : ["GET"]) {
        const { status, text } = await knock(door + path, method);
        expect([400, 401, 404, 405], `${method} ${door}${path}: ${status} ${text}`).toContain(
          status,
        );
        expect(JSON.parse(text).error, `${method} ${door}${path}`).toMatch(/\w+ \w+/);
      }
    }
  }
  // Not the path of some other host.
  expect((await knock(`${inside}//elsewhere/pty`)).status).toBe(404);
});

test("D7 whoever joins is told the terminals and its role", async () => {
  const { id } = await product.open(held("true"));
  using viewer = await connect("view");
  const listed = await viewer.ofType("pty:terminals");
  expect(listed["role"]).toBe("view");
  expect(listed["terminals"]).toContainEqual(expect.objectContaining({ id, owner: "user" }));
});

test("D8 H3 exits are honest: a code, or a signal's name, behind the last output", async () => {
  using client = await connect();
  const cases: [string, object][] = [
    ["echo bye; exit 7", { exitCode: 7, signal: null }],
    ["echo bye; kill -KILL $$", { exitCode: null, signal: "SIGKILL" }],
    ["echo bye; kill -TERM $$", { exitCode: null, signal: "SIGTERM" }],
  ];
  for (const [script, exit] of cases) {
    const from = client.messages.length;
    const { id } = await product.open(bash(script));
    client.attach(id);
    expect(await client.ofType("pty:exit", from)).toMatchObject({ id, ...exit });
    expect(client.text.get(id)).toContain("bye");
    const order = client.messages.slice(from).filter((message) => message.id === id);
    expect(order.at(-1)?.type).toBe("pty:exit");
  }
});

test("T5 everyone is told of created and closed, attached or not, viewers too", async () => {
  using viewer = await connect("view");
  await viewer.ofType("pty:terminals");
  const { id } = await product.open(bash("exit 4"));
  const event = (name: string) =>
    viewer.message(
      (message) =>
        message["event"] === name && (message["terminal"] as { id: string } | undefined)?.id === id,
      name,
    );
  expect(await event("created")).toMatchObject({ type: "terminal", terminal: { owner: "user" } });
  expect(await event("closed")).toMatchObject({ exit: { exitCode: 4, signal: null } });
});

test("T6 a finished terminal leaves the list and stays readable", async () => {
  const { id } = await product.open(bash("echo last words"));
  using client = await connect();
  client.attach(id);
  await client.ofType("pty:exit");
  expect(await (await product.http("/pty")).json()).not.toContainEqual(
    expect.objectContaining({ id }),
  );
  using late = await connect();
  late.attach(id);
  expect((await late.ofType("pty:attached")).history).toContain("last words");
  expect(await late.ofType("pty:exit")).toMatchObject({ exitCode: 0 });
  late.type(id, "anybody?");
  expect(await late.ofType("pty:error")).toMatchObject({ error: "Session has ended" });
});

test("R9 an agent's token is closed with 4403 at the people's door", async () => {
  using agent = await connect("agent");
  expect((await agent.closes()).code).toBe(4403);
});

test("R16 health goes to the pty host and back with a token, and says little without", async () => {
  const full = await (await product.http("/health")).json();
  expect(full).toMatchObject({ relay: "ok", bridge: "ok", ptyHost: "ok" });
  const bare = await (await fetch(product.ready.endpoints.health)).json();
  expect(bare).toEqual({ relay: "ok", now: expect.any(Number) });
});

test("D7 many terminals with very long commands are all told, and nothing breaks", async () => {
  const long = "x".repeat(20_000);
  const ids = new Set<string>();
  for (let i = 0; i < 40; i++) {
    const { id } = await product.open({ command: ["/bin/sh", "-c", "sleep 1000", long, long] });
    ids.add(id);
  }
  const { endpoints, tokens } = product.ready;
  using client = await PlainClient.connect(endpoints.peer, tokens.view);
  // Among those of the tests before this one.
  const listed = () =>
    new Set(
      client.messages
        .flatMap((message) => {
          if (message.type === "pty:terminals") return message["terminals"] as { id: string }[];
          return message["event"] === "created" ? [message["terminal"] as { id: string }] : [];
        })
        .flatMap(({ id }) => (ids.has(id) ? [id] : [])),
    );
  await client.message(() => listed().size === ids.size, "all terminals");
  expect(listed()).toEqual(ids);
  const all = (await (await product.http("/pty")).json()) as { id: string }[];
  const list = all.filter(({ id }) => ids.has(id));
  expect(list).toHaveLength(40);
  expect(JSON.stringify(list[0]).length).toBeLessThan(3_000);
  const huge = await product.http("/pty/spawn", {
    method: "POST",
    body: JSON.stringify({
      command: ["/bin/echo", ...Array.from({ length: 60 }, () => "y".repeat(32_000))],
    }),
  });
  expect([huge.status, (await huge.json()).error]).toEqual([
    422,
    expect.stringMatching(/the limit is/),
  ]);
});

test("R17 the embedded relay serves the page's files and no list of them, with the headers", async () => {
  const { relay, links } = product.ready;
  const page = await fetch(links.edit);
  expect([page.status, page.headers.get("content-type")]).toEqual([
    200,
    "text/html; charset=utf-8",
  ]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? "";
  const asset = await fetch(`${relay}${script}`);
  expect([asset.status, asset.headers.get("content-type")]).toEqual([
    200,
    "text/javascript; charset=utf-8",
  ]);
  expect(asset.headers.get("cache-control")).toContain("immutable");
  for (const path of [
    "/assets/",
    "/assets",

    "/assets/%2e%2e/package.json",
    "/assets/none.js",
  ]) {
    expect((await fetch(`${relay}${path}`)).status, path).toBe(404);
  }
});

test("F7 a question gets one answer, though five viewers have theirs", async () => {
  const ask =
    "stty raw -echo; printf '\\033[3;5H\\033[6n'; head -c 6 | od -An -c; printf '\\r\\nrest'; stty min 0 time 5; cat | od -An -c; printf end";
  const { id } = await product.open(bash(`read -r; ${ask}; read -r`));
  const viewers = await Promise.all(Array.from({ length: 5 }, () => connect()));
  for (const viewer of viewers) {
    viewer.onMessage = ({ type, data }) => {
      // As an emulator would.
      if (type === "pty:output" && data?.includes("\x1b[6n")) viewer.type(id, "\x1b[3;5R");
    };
    viewer.attach(id);
    await viewer.ofType("pty:attached");
  }
  viewers[0]?.type(id, "\n");
  await viewers[0]?.shows(id, /033 {3}\[ {3}3 {3}; {3}5 {3}R/);
  await viewers[0]?.shows(id, "restend");
  for (const viewer of viewers) viewer[Symbol.dispose]();
});

test("FI1 FI3 FI5 a file goes through the relay into its folder; strangers, viewers, agents and odd names do not matter", async () => {
  const send = (query: string, body: string, token?: string) =>
    product.http(`/files?${query}`, {
      method: "POST",
      body,
      ...compact({ token }),
    });
  const { tokens } = product.ready;
  const taken = await send("name=..%2F..%2Fx%0A.sh&size=4", "true");
  expect(taken.status).toBe(201);
  const { path } = (await taken.json()) as { path: string };
  expect(path).toMatch(/^\/tmp\/pairpty-files-[0-9a-f]{16}\/x\.sh$/);
  expect(readFileSync(path, "utf8")).toBe("true");
  // More than any other request may have.
  const large = "x".repeat(4 * MiB + 1);
  expect((await send("name=large", large)).status).toBe(201);
  for (const token of [tokens.view, tokens.agent]) {
    expect((await send("name=x", "no", token)).status).toBe(403);
  }
  expect((await send("name=x", "no", `pp_${"x".repeat(43)}`)).status).toBe(401);
  expect((await send("name=x&size=9", "short")).status).toBe(400);
  // Half of one, and then nobody.
  const { relay, workspace } = product.ready;
  const cut = request(`${relay}/w/${workspace}/files?name=cut&size=99999`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens.edit}`, "content-length": 99_999 },
  });
  cut.on("error", () => undefined);
  cut.write("x".repeat(70_000));
  const folder = dirname(path);
  const drafts = () => readdirSync(folder).filter((name) => name.endsWith(".part")).length;
  await until("the bridge has a part of it", () => drafts() === 1);
  cut.destroy();
  await until("nothing of it is left", () => drafts() === 0);
  expect(readdirSync(folder).toSorted()).toEqual(["large", "x.sh"]);
});

test("RE3 RE8 RE9 the command line records, lists and plays; agents get nothing of it", async () => {
  const { id } = await product.open(held("echo ready; read -r; echo went-$((1+1))"));
  const guest = await connect();
  guest.attach(id);
  await guest.shows(id, "ready");
  const out = join(place.folder, "demo.cast");
  const started = await place.run(["record", id, "--out", out]);
  expect([started.code, started.stderr]).toEqual([0, expect.stringContaining(out)]);
  expect((await place.run(["record", id])).stderr).toContain("already being recorded");
  expect(statSync(out).mode & 0o777).toBe(0o600);
  const listed = await guest.ofType("pty:recording");
  expect(listed).toMatchObject({ id, on: true });
  guest.type(id, "\n");
  await guest.shows(id, "went-2");
  const stopped = await place.run(["record", id, "--stop"]);
  expect([stopped.code, stopped.stderr]).toEqual([0, expect.stringContaining(`play ${out}`)]);
  const played = await place.run(["play", out, "--speed", "50"]);
  expect([played.code, played.stdout]).toEqual([0, expect.stringContaining("went-2")]);
  const none = await place.ask(["play", join(place.folder, "none.cast")]);
  expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/there is no file .*none/)]);
  expect(none.stderr).not.toContain("ENOENT");
  writeFileSync(join(place.folder, "odd.cast"), "odd\n");
  const odd = await place.ask(["play", join(place.folder, "odd.cast")]);
  expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining("asciicast")]);

  await place.run(["record", id]);
  const [row] = JSON.parse((await place.run(["record", "--json"])).stdout);
  expect(row).toMatchObject({ running: true, path: expect.stringContaining("/recordings/") });
  for (const role of ["view", "agent"] as const) {
    const token = product.ready.tokens[role];
    for (const path of ["/recordings", `/recordings/${row.id}`]) {
      expect((await product.http(path, { token })).status).toBe(403);
    }
  }
  const viewer = await connect("view");
  viewer.send({ type: "pty:record", id, on: false });
  expect(await viewer.ofType("pty:error")).toMatchObject({ code: "forbidden" });
  guest.type(id, "\n");
  await guest.ofType("pty:exit");
  const ended = await product.http(`/recordings/${row.id}`);
  expect((await ended.text()).trim().split("\n").at(-1)).toMatch(/, "x", "0"\]$/);
  expect((await product.http(`/recordings/${row.id}`, { method: "DELETE" })).status).toBe(204);
  expect(await (await product.http("/recordings")).json()).toEqual([]);
});

test("RE8 RE27 in a window, space pauses, a dot steps, q ends, and the terminal is as it was", async () => {
  const path = join(place.folder, "keys.cast");
  const lines = [
    '{"version":3,"term":{"cols":80,"rows":24}}',
    '[0, "o", "\\u001b[?1049h\\u001b[?25l\\u001b[?1000hfirst "]',
    '[600, "o", "second "]',
    '[600, "o", "third "]',
  ];
  writeFileSync(path, `${lines.join("\n")}\n`);
  using tty = Tty.pairpty(place, ["play", path]);
  await tty.shows("first");
  tty.type(" ");
  tty.type(".");
  await tty.shows("second");
  tty.type("q");
  expect(await tty.ends()).toBe(0);
  expect(tty.text).not.toContain("third");
  expect(tty.raw).toMatch(/\[\?1049l.*\[\?25h.*\[\?1000l/s);
});

test("PE73 a terminal that becomes private is watched by no View link, for everyone at once", async () => {
  const { id } = await product.open(held("echo there"));
  using editor = await connect();
  using viewer = await connect("view");
  for (const client of [editor, viewer]) client.send({ type: "room:hello" });
  viewer.send({ type: "room:look", id });
  const isRow = (isLooking: boolean) => (message: Record<string, unknown>) =>
    message["type"] === "room:people" &&
    (message["people"] as { role: string; looking?: string }[]).some(
      ({ role, looking }) => role === "view" && (looking === id) === isLooking,
    );
  await editor.message(isRow(true), "the View link looks at it");
  const before = editor.messages.length;
  editor.send({ type: "pty:private", id, on: true });
  await editor.message(isRow(false), "the View link looks at nothing", undefined, before);
  expect((await place.run(["people"])).stdout).not.toContain("viewing");
});
