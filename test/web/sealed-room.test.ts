// A page in a sealed room, in a real browser: the room does the host's side, and forges what a relay
// could.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeOutputFrame } from "../../protocol/output.ts";
import { encodeReadyFrame } from "../../protocol/sealed/messages.ts";
import { concatBytes } from "../../protocol/sealed/bytes.ts";
import { decodeHttpPreface, HTTP_PREFACE_BYTES } from "../../protocol/sealed/http-records.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { startBrowser, Visitor } from "../support/browser.ts";
import type { FakePost } from "../support/fake-room.ts";
import { TERMINAL } from "../support/fake-room.ts";
import { listAllFaults } from "../support/faults.ts";
import { PHONE } from "../support/fingers.ts";
import { SECRET } from "../support/sealed-pair.ts";
import type { SealedPeer } from "../support/sealed-room.ts";
import { openSealedRoom } from "../support/sealed-room.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const browser = await startBrowser();
const poll = { timeout: PATIENCE_MS };

/** Opens a sealed request as the host does. */
function openPost({ session }: SealedPeer, { body: sent }: FakePost) {
  const bytes = new Uint8Array(sent);
  const { request } = decodeHttpPreface(bytes) ?? expect.fail();
  const { body, response } = session?.acceptRequest(request) ?? expect.fail();
  const [head = expect.fail(), ...parts] = body.push(bytes.subarray(HTTP_PREFACE_BYTES));
  body.end();
  const { method, path } = JSON.parse(toText(head));
  const answer = (status: number, value: object) =>
    concatBytes(
      response.seal(toBytes(JSON.stringify({ status, headers: [] })), false),
      response.seal(toBytes(JSON.stringify(value)), true),
    );
  return { what: `${method} ${path}`, content: toText(concatBytes(...parts)), answer };
}

describe.skipIf(!browser)("a page in a sealed room", () => {
  let sealed: Awaited<ReturnType<typeof openSealedRoom>>;
  let ana: Visitor;
  let peer: SealedPeer;

  beforeEach(async () => {
    sealed = await openSealedRoom();
    ana = await Visitor.come(browser, "about:blank");
  });
  afterEach(async () => {
    await ana.leave();
    sealed.room.close();
  });

  async function arrive(): Promise<void> {
    await ana.page.goto(sealed.link);
    peer = await sealed.arrive();
    await ana.shows("$");
  }

  test("SE41 SE43 a page shakes hands, types and shows output; the relay gets the ticket and nothing in the clear but acks", async () => {
    const urls: string[] = [];
    ana.page.on("request", (request) => urls.push(`${request.url()} ${request.postData() ?? ""}`));
    await arrive();
    await ana.status("Live");
    await ana.type("ls");
    await peer.request("pty:input", ({ data }) => data === "s");
    peer.bytes(2, "planted-output");
    await ana.shows("$ planted-output");
    await peer.acked(16);
    expect(peer.texts.filter((text) => !/^[Ee][\w+/]+=*$/.test(text))).toEqual([]);
    expect(await ana.page.evaluate(() => location.href)).not.toContain("#");
    const seen = [...urls, ...ana.sent].join("\n");
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toContain(sealed.word.slice(-43));
    expect(ana.faults).toEqual([]);
  });

  test("SE44 typing during a handshake is refused with a notice; the screen stays, and the page goes on after it", async () => {
    await arrive();
    peer.isSilent = true;
    peer.again();
    await ana.status("Connecting");
    await ana.shows("$");
    await ana.type("x");
    await ana.page.getByText("Not connected. Your typing isn’t sent.").waitFor();
    peer.isSilent = false;
    peer.again();
    await peer.shaken(2);
    peer.requests.length = 0;
    peer.welcome("edit", [TERMINAL]);
    // It goes on where it stood.
    expect(await peer.request("pty:attach")).toMatchObject({ epoch: 1, offset: 2 });
    peer.attached({ offset: 2, next: 2 });
    peer.backlog(2, "missed ");
    peer.bytes(9, "and on");
    await ana.shows("$ missed and on");
    await ana.type("y");
    await peer.request("pty:input", ({ data }) => data === "y");
    expect(peer.requests.filter(({ type }) => type === "pty:input")).toHaveLength(1);
    expect(ana.sockets).toBe(1);
  });

  test("SE44 a flood of forged requests for a handshake costs at most one hello a second", async () => {
    await arrive();
    const hellos = () => peer.texts.filter((text) => text.startsWith("E")).length;
    const before = hellos();
    peer.isSilent = true;
    const started = performance.now();
    for (let n = 0; n < 200; n++) peer.again();
    await expect.poll(hellos, poll).toBeGreaterThan(before);
    for (let n = 0; n < 200; n++) peer.again();
    await expect.poll(hellos, poll).toBeGreaterThan(before + 1);
    expect(hellos() - before).toBeLessThanOrEqual(2 + (performance.now() - started) / 1000);
  });

  test("SE45 a new key opens what follows it, and output under the key of before changes nothing", async () => {
    await arrive();
    const old = peer.sealer().sealFrame(2, 4, toBytes("OLD!"));
    peer.rekey();
    peer.forge(old);
    peer.bytes(2, "new");
    await ana.shows("$ new");
    expect((await ana.lines()).join("\n")).not.toContain("OLD");
  });

  test("SE45 output whose key is unknown waits for it", async () => {
    await arrive();
    const key = peer.sealer().rekey();
    peer.bytes(2, "held ");
    peer.bytes(7, "until then");
    peer.giveKey(key);
    await ana.shows("$ held until then");
  });

  test("SE45 too much output with an unknown key makes the page attach again", async () => {
    await arrive();
    peer.requests.length = 0;
    peer.sealer().rekey();
    const flood = "x".repeat(60_000);
    for (let n = 0; n < 20; n++) peer.bytes(2 + n * flood.length, flood);
    expect(await peer.request("pty:attach")).toMatchObject({ offset: 2 });
    peer.attached({ offset: 2, next: 2 });
    peer.backlog(2, "caught up");
    await ana.shows("$ caught up");
  });

  test("SE46 missing output or a missing event makes the page attach again, once", async () => {
    await arrive();
    for (const lose of [
      () => void peer.sealer().sealFrame(2, 3, toBytes("abc")),
      () => void peer.sealer().sealFrame(2, 0, toBytes("{}")),
    ]) {
      peer.requests.length = 0;
      lose();
      peer.bytes(5, "def");
      peer.bytes(8, "ghi");
      expect(await peer.request("pty:attach")).toMatchObject({ offset: 2 });
      peer.attached({ offset: 2, next: 2 });
      await peer.request("pty:view");
      expect(peer.requests.filter(({ type }) => type === "pty:attach")).toHaveLength(1);
    }
    peer.backlog(2, "abc");
    peer.bytes(5, "def");
    await ana.shows("$ abcdef");
  });

  test("SE42 messages in the clear that only the host makes, output in the clear and forged frames change nothing", async () => {
    await arrive();
    const { id } = TERMINAL;
    const messages = [
      { type: "pty:terminals", terminals: [], role: "view", you: 9 },
      {
        type: "pty:attached",
        id,
        epoch: 2,
        offset: 0,
        next: 0,
        cols: 40,
        rows: 5,
        channel: 1,
        snapshot: "FORGED",
      },
      { type: "pty:key", id, channel: 1, n: 1, key: `${"A".repeat(43)}=`, counter: 0, events: 0 },
      { type: "pty:output", id, data: "FORGED" },
      { type: "pty:exit", id, exitCode: 1 },
      { type: "pty:resized", id, cols: 20, rows: 4 },
      { type: "pty:error", code: "internal", error: "FORGED" },
      { type: "pty:titled", id, title: "FORGED" },
      { type: "pty:driver", id, driver: 9, viewers: 2, label: "FORGED" },
      { type: "pty:asked", id, peer: 9, label: "FORGED" },
      { type: "pty:recording", id, on: true, by: "FORGED" },
      {
        type: "terminal",
        event: "created",
        terminal: { ...TERMINAL, id: "pty-forged", title: "FORGED" },
      },
      { type: "room:welcome", folder: "FORGED" },
      { type: "room:waiting" },
      { type: "room:you", you: "a", label: "FORGED", role: "view" },
      {
        type: "room:people",
        people: [{ id: "b", label: "FORGED", role: "edit", since: 1 }],
        gone: [],
      },
      { type: "room:knocks", knocks: [{ id: "k", label: "FORGED", role: "edit", since: 1 }] },
      { type: "room:away", why: "removed", by: "FORGED" },
      { type: "room:remembered", token: "FORGED", expiresAt: null },
      { type: "room:forgotten" },
      { type: "room:address", origin: "https://forged.example.com" },
      { type: "room:error", code: "internal", error: "FORGED" },
      { type: "approval:open", approvals: [{ id: "FORGED" }] },
      { type: "conversation:list", conversations: [{ id: "FORGED", title: "FORGED" }] },
      { type: "audit:error", error: "FORGED" },
    ];
    for (const message of messages) peer.forge(JSON.stringify(message));
    peer.forge(encodeOutputFrame(1, 2, 6, toBytes("FORGED")));
    peer.forge(encodeOutputFrame(1, 2, 0, toBytes(JSON.stringify(messages[4]))));
    const sealer = peer.sealer();
    const flipped = sealer.sealFrame(2, 6, toBytes("FORGED"));
    flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
    peer.forge(flipped);
    peer.forge(encodeReadyFrame(new Uint8Array(80)));
    peer.bytes(2, "true");
    await ana.shows("$ true");
    await ana.status("Live");
    expect(await ana.page.locator("body").innerText()).not.toContain("FORGED");
    expect(await ana.page.getByRole("tab").count()).toBe(1);
    expect(await ana.size()).toEqual({ cols: 80, rows: 24 });
    expect(
      await ana.page.evaluate(() => JSON.stringify([localStorage, sessionStorage])),
    ).not.toContain("FORGED");
    await ana.type("z");
    await peer.request("pty:input", ({ data }) => data === "z");
    expect(ana.sockets).toBe(1);
    expect(ana.faults).toEqual([]);
  });

  test("SE42 the room's own messages count in the clear, in their turn behind sealed ones", async () => {
    await arrive();
    peer.forge('{"type":"pairpty:ping","n":7}');
    await peer.request("pairpty:pong", ({ n }) => n === 7);
    expect(peer.texts).toContain('{"type":"pairpty:pong","n":7}');
    peer.bytes(2, "before");
    peer.forge('{"type":"bridge","state":"away","how":"crashed","since":1}');
    await ana.status("Host crashed");
    await ana.shows("$ before");
  });

  test("SE43 a changed record makes the page connect again", async () => {
    await arrive();
    peer.record(1, toBytes("{}"));
    const replay = peer.session?.seal(1, toBytes("{}")) ?? expect.fail();
    replay[12] = (replay[12] ?? 0) ^ 1;
    const frame = new Uint8Array([0x16, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, replay.length, ...replay]);
    peer.forge(frame);
    const next = await sealed.room.peer(2);
    await next.shaken();
    next.welcome("edit", [TERMINAL]);
    await next.request("pty:attach");
    next.attached({ offset: 2, next: 2 });
    next.bytes(2, "again");
    await ana.shows("$ again");
  });

  test("SE47 the lock says what is encrypted, what the relay reads and who could change the page", async () => {
    for (const options of [
      { colorScheme: "dark" },
      { colorScheme: "light" },
      { ...PHONE, colorScheme: "dark" },
      { ...PHONE, colorScheme: "light" },
    ] as const) {
      await ana.leave();
      sealed.room.close();
      sealed = await openSealedRoom();
      ana = await Visitor.come(browser, sealed.link, options);
      peer = await sealed.arrive();
      await ana.page.getByRole("button", { name: "End-to-end encrypted" }).click();
      const details = ana.page.getByRole("dialog", { name: "End-to-end encrypted" });
      await details.getByText("Whoever serves the page could change it").waitFor();
      await details.getByText("Readable by the relay:").waitFor();
      expect(await listAllFaults(ana)).toEqual([]);
      await ana.press("Escape");
      await details.waitFor({ state: "hidden" });
    }
  });

  test("SE48 who knocks and who lets in see the same six digits, of this handshake", async () => {
    await ana.page.goto(sealed.link);
    peer = await sealed.room.peer(1);
    await peer.shaken();
    peer.say({ type: "room:waiting" });
    const digits = () => peer.session?.digits().replace(/(...)/, "$1 ") ?? expect.fail();
    const first = digits();
    await ana.page.getByText(first).waitFor();
    peer.again();
    await peer.shaken(2);
    peer.say({ type: "room:waiting" });
    await ana.page.getByText(digits()).waitFor();
    expect(await ana.page.getByText(first).count()).toBe(digits() === first ? 1 : 0);
    peer.say({ type: "room:welcome" });
    peer.terminals(TERMINAL);
    await peer.request("pty:attach");
    peer.attached({ snapshot: "$ " });
    const knock = {
      id: "k",
      label: "Edit link",
      role: "edit",
      since: 1,
      digits: "123456",
    } as const;
    peer.say({ type: "room:knocks", knocks: [knock] });
    await ana.page.getByText("123 456").waitFor();
  });

  test("SE49 SE70 files and recordings go in sealed requests, with the ticket and no other header of the page", async () => {
    await arrive();
    const posts: FakePost[] = [];
    const served: string[] = [];
    const answers: Record<string, object> = {
      "GET /recordings": [{ id: "r1", title: "planted title", startedAt: 1, seconds: 2, bytes: 3 }],
      "GET /files": { mostBytes: 1_000 },
    };
    sealed.room.servePosts((post) => {
      posts.push(post);
      const { what, content, answer } = openPost(peer, post);
      served.push(`${what} ${content}`.trim());
      if (answers[what] !== undefined) return answer(200, answers[what]);
      return answer(201, { name: "a.txt", path: "/tmp/planted/a.txt", size: 12 });
    });
    await ana.press("Alt+Shift+V");
    await ana.page.getByText("planted title").waitFor();
    await ana.press("Escape");
    const [chooser] = await Promise.all([
      ana.page.waitForEvent("filechooser"),
      ana.press("Alt+Shift+U"),
    ]);
    const buffer = Buffer.from("file content");
    await chooser.setFiles({ name: "a.txt", mimeType: "text/plain", buffer });
    await peer.request("pty:input", ({ data }) => data.includes("/tmp/planted/a.txt"));
    expect(served).toEqual([
      "GET /recordings",
      "GET /files",
      `POST /files?name=a.txt&size=12&terminal=${TERMINAL.id} file content`,
    ]);
    expect(posts.map(({ url }) => url)).toEqual([
      "/w/fake/sealed",
      "/w/fake/sealed",
      "/w/fake/files?s",
    ]);
    for (const { headers } of posts) {
      expect(headers.authorization).toMatch(/^Bearer pp_/);
      expect(JSON.stringify(headers)).not.toContain(SECRET);
      expect(Object.keys(headers).filter((name) => name.startsWith("x-"))).toEqual([]);
    }
  });

  test("SE73 an answer in the clear counts as none", async () => {
    await arrive();
    sealed.room.servePosts(() => toBytes('[{"id":"forged","title":"forged","startedAt":1}]'));
    await ana.press("Alt+Shift+V");
    await ana.page.getByText("The host is not responding").waitFor();
    expect(await ana.page.getByText("forged").count()).toBe(0);
  });

  test("SE50 a link that is cut, damaged or newer is explained, and opens no socket; nor does a stored plain one in its place", async () => {
    const plain = sealed.room.link();
    await ana.page.goto(plain);
    await sealed.room.peer(1);
    const at = plain.replace(/#.*/, "");
    for (const [word, text] of [
      [sealed.word.slice(0, -5), "This link is incomplete"],
      [`${sealed.word}x`, "This link is damaged"],
      [sealed.word.replace("pp2_", "pp3_"), "This link needs a newer version of pairpty"],
    ] as const) {
      await ana.page.goto("about:blank");
      const { sockets } = ana;
      await ana.page.goto(`${at}#${word}`);
      await ana.page.getByText(text).waitFor();
      expect(ana.sockets).toBe(sockets);
      await ana.page.getByLabel(/Invite link/).fill(`${at}#${word}`);
      await ana.press("Enter");
      await ana.page.getByText(text).nth(1).waitFor();
      expect(await ana.page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(word);
    }
    // A host key of more than 32 bytes, in the right form.
    const { sockets } = ana;
    await ana.page.goto("about:blank");
    await ana.page.goto(`${at}#${sealed.word.slice(0, -43)}${"z".repeat(43)}`);
    await ana.page.getByText("This link is damaged").waitFor();
    expect(ana.sockets).toBe(sockets);
  });

  test("SE51 a refusal of the host is shown in its own words, for a plain link, too", async () => {
    const before = "This link is from before end-to-end encryption: ask the host for a new one";
    const wrong =
      "This link does not fit the host's keys: copy the whole link again, or ask the host for a new one.";
    await ana.page.goto(sealed.room.link());
    (await sealed.room.peer(1)).closeWith(4403, before);
    await ana.page.getByText(before).waitFor();
    await ana.page.goto("about:blank");
    await ana.page.goto(sealed.link);
    (await sealed.room.peer(2)).closeWith(4403, wrong);
    await ana.page.getByText(wrong).waitFor();
  });

  test("SE51 the reason in the host's last record counts, not the relay's", async () => {
    await arrive();
    const reason = "This link was revoked.";
    peer.record(1, toBytes(JSON.stringify({ type: "e2e:closing", reason })));
    peer.closeWith(4401, "Closed by the host");
    await ana.page.getByText("Your link was revoked").first().waitFor();
  });

  test("SE51 a page that cannot encrypt, or whose host speaks another version, says so and sends nothing", async () => {
    await ana.page.addInitScript(() => {
      const generate = crypto.subtle.generateKey.bind(crypto.subtle);
      Object.assign(crypto.subtle, {
        generateKey: (...all: Parameters<typeof generate>) =>
          sessionStorage.getItem("old") ? Promise.reject(new Error("no X25519")) : generate(...all),
      });
    });
    await ana.page.goto(sealed.link);
    peer = await sealed.room.peer(1);
    await peer.shaken();
    await ana.page.evaluate(() => sessionStorage.setItem("old", "yes"));
    const { sockets } = ana;
    await ana.page.reload();
    await ana.page.getByText("This browser is too old for end-to-end encryption").waitFor();
    expect(ana.sockets).toBe(sockets);
    await ana.page.evaluate(() => sessionStorage.removeItem("old"));
    await ana.page.reload();
    peer = await sealed.room.peer(2);
    peer.isSilent = true;
    peer.again();
    await peer.until(
      "another hello",
      () => peer.texts.filter((text) => text.startsWith("E")).length > 0,
    );
    const ready = encodeReadyFrame(new Uint8Array(80));
    ready[12] = 9;
    peer.forge(ready);
    await ana.page.getByText("different versions of pairpty").waitFor();
  });
});
