// A relay that lies to the bridge of a sealed room: it has the tickets and carries every byte, and it
// forges, repeats, reorders, drops and swaps them. Nothing runs, and it learns no word.

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CloseCode } from "../../protocol/codes.ts";
import { FLAG_BINARY, FrameType } from "../../protocol/frame-types.ts";
import { PeerClose } from "../../protocol/link.ts";
import { PTY_REQUESTS } from "../../protocol/pty-requests.ts";
import { RECORD_MARK, SealedFrame } from "../../protocol/sealed/messages.ts";
import { read } from "../support/frames.ts";
import { LyingRelay } from "../support/lying-relay.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { SealedPage, readLink } from "../support/sealed-client.ts";
import { until } from "../support/waiting.ts";

/** A page whose socket is the relay's invention. */
interface Victim {
  readonly page: SealedPage;
  readonly peer: number;
  /** Every text that the page sent, the hello first. */
  readonly sent: string[];
  /** Texts go no further while this is set. */
  isHeld: boolean;
}

let place: Place;
let relay: LyingRelay;
let product: Product;
const victims = new Map<number, Victim>();

beforeAll(async () => {
  place = new Place();
  relay = await LyingRelay.start();
  relay.onFrame = (frame) => {
    const { type, stream, payload, flags } = frame;
    if (type === FrameType.output) for (const { page } of victims.values()) page.onFrame(frame);
    const page = victims.get(stream)?.page;
    if (type === FrameType.peerSend) page?.onMessage(payload, (flags & FLAG_BINARY) !== 0);
    if (type !== FrameType.peerClose) return;
    const { code, reason } = read(PeerClose, frame);
    page?.onClose(code, reason);
  };
  product = await place.start("--e2e", "on", "--knock", "--relay", relay.url);
  await relay.linked();
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
});

/** Opens a page through the relay, which passes on what it says. */
async function openPage(url = product.ready.own): Promise<Victim> {
  const { link, ticket } = await readLink(url);
  const peer = relay.join({ grant: link.id, ticket }, { raw: true });
  const page: SealedPage = new SealedPage(
    {
      link: url,
      send: (data) => {
        if (typeof data !== "string") return;
        victim.sent.push(data);
        if (!victim.isHeld) relay.sayText(peer, data);
      },
    },
    link,
  );
  const victim: Victim = { page, peer, sent: [], isHeld: false };
  victims.set(peer, victim);
  await page.shakeHands();
  // The first record of the bridge shows that it opened the caller.
  await page.until(() => page.messages.length > 0, "no handshake");
  return victim;
}

/** Resolves with the texts that the page sends for a message, which goes no further. */
async function hold(victim: Victim, ...messages: object[]): Promise<string[]> {
  victim.isHeld = true;
  const before = victim.sent.length;
  for (const message of messages) victim.page.send(message);
  await until("the page has sealed", () => victim.sent.length === before + messages.length);
  victim.isHeld = false;
  return victim.sent.slice(before);
}

async function closeCode({ page }: Victim): Promise<number> {
  return (await page.closes()).code;
}

const marker = () => join(place.folder, "ran");
/** A message that would leave a trace. */
const spawnMarker = () => ({ type: "pty:spawn", id: "s", command: ["/bin/touch", marker()] });

test("SE40 whatever the relay says in the clear ends the session, and nothing runs", async () => {
  const types = PTY_REQUESTS.map(({ schema }) => schema.shape.type.def.values[0] ?? "");
  const others = ["room:hello", "room:admit", "room:remove", "room:share", "approval:answer"];
  expect(types.length).toBeGreaterThan(10);
  for (const type of [...types, ...others]) {
    const victim = await openPage();
    relay.say(victim.peer, { ...spawnMarker(), type });
    expect(await closeCode(victim), type).toBe(CloseCode.badMessage);
  }
  const victim = await openPage();
  relay.say(victim.peer, spawnMarker());
  expect(await closeCode(victim)).toBe(CloseCode.badMessage);
  expect(existsSync(marker())).toBe(false);
});

test("SE40 a repeated, dropped, reordered, changed or swapped record runs nothing more", async () => {
  const count = join(place.folder, "count");
  const append = { type: "pty:spawn", id: "s", command: ["/bin/sh", "-c", `echo x >> ${count}`] };
  const harmless = { type: "room:look", id: null };
  const repeated = await openPage();
  const [once = ""] = await hold(repeated, append);
  relay.sayText(repeated.peer, once);
  await until("it ran", () => existsSync(count));
  relay.sayText(repeated.peer, once);
  expect(await closeCode(repeated)).toBe(CloseCode.badMessage);

  const dropped = await openPage();
  const [, second = ""] = await hold(dropped, harmless, append);
  relay.sayText(dropped.peer, second);
  expect(await closeCode(dropped)).toBe(CloseCode.badMessage);

  const reordered = await openPage();
  const [first = "", next = ""] = await hold(reordered, append, append);
  relay.sayText(reordered.peer, next);
  relay.sayText(reordered.peer, first);
  expect(await closeCode(reordered)).toBe(CloseCode.badMessage);

  const changed = await openPage();
  const [record = ""] = await hold(changed, append);
  const at = record.length >> 1;
  const letter = record[at] === "A" ? "B" : "A";
  relay.sayText(changed.peer, `${record.slice(0, at)}${letter}${record.slice(at + 1)}`);
  expect(await closeCode(changed)).toBe(CloseCode.badMessage);

  const [mine, yours] = [await openPage(), await openPage()];
  const [stolen = ""] = await hold(mine, append);
  relay.sayText(yours.peer, stolen);
  expect(await closeCode(yours)).toBe(CloseCode.badMessage);

  const reflected = await openPage();
  const frame = relay
    .sentTo(reflected.peer)
    .find(({ payload }) => payload[0] === SealedFrame.record);
  const own = Buffer.from(frame?.payload.subarray(12) ?? []);
  relay.sayText(reflected.peer, `${RECORD_MARK}${own.toString("base64")}`);
  expect(await closeCode(reflected)).toBe(CloseCode.badMessage);

  await relay.settled();
  expect(readFileSync(count, "utf8")).toBe("x\n");
});

test("SE40 a recorded visit opens nothing when it is played again", async () => {
  const victim = await openPage();
  victim.page.send({ type: "room:look", id: null });
  await until("the page has sealed", () => victim.sent.length === 3);
  const { link, ticket } = await readLink(product.ready.own);
  const peer = relay.join({ grant: link.id, ticket }, { raw: true });
  const [hello = "", ...records] = victim.sent;
  relay.sayText(peer, hello);
  await relay.next("peerSend", peer);
  for (const record of records) relay.sayText(peer, record);
  expect(await relay.closeCode(peer)).toBe(CloseCode.forbidden);
  // Nothing but the answer to the hello came.
  const frames = relay.sentTo(peer).filter(({ type }) => type === FrameType.peerSend);
  expect(frames.map(({ payload }) => payload[0])).toEqual([SealedFrame.ready]);
});

test("SE32 a ticket that the relay holds opens no door without the handshake", async () => {
  const { link, ticket } = await readLink(product.ready.own);
  const claim = { grant: link.id, ticket };
  const acp = relay.join(claim, { door: "acp" });
  expect(await relay.closeCode(acp)).toBe(CloseCode.forbidden);
  for (const path of ["/pty", "/mcp", "/files?name=x", "/recordings", "/health"])
    expect(await relay.request(claim, "POST", path), path).toBe(403);
  const plain = relay.join(claim);
  relay.say(plain, spawnMarker());
  expect(await relay.closeCode(plain)).toBe(CloseCode.forbidden);
  expect(existsSync(marker())).toBe(false);
});

test("SE40 output that the relay moves, repeats or takes from another channel shows nothing", async () => {
  const { page } = await openPage();
  const [one, two] = [await page.spawn(), await page.spawn()];
  for (const id of [one, two]) {
    page.attach(id);
    await page.until(() => page.views.has(id), "not attached");
    page.type(id, "echo moved-$((40 + 2))\r");
    await page.shows(id, /moved-42/);
  }
  const frame = page.frames.find(({ stream }) => stream === page.view(one).channel);
  if (frame === undefined) throw new Error("no output came");
  const other = page.view(two).channel;
  expect(await page.tryOpen(frame)).toBe("refused");
  expect(await page.tryOpen({ ...frame, stream: other })).toBe("unknown key");
  const moved = Uint8Array.from(frame.payload);
  moved[7] = (moved[7] ?? 0) ^ 1;
  expect(await page.tryOpen({ ...frame, payload: moved })).toBe("refused");
});

test("SE34 SE40 a link cut asks for a handshake, and the relay's own list opens nothing", async () => {
  const victim = await openPage();
  const { page, peer } = victim;
  const { link, ticket } = await readLink(product.ready.own);
  const claim = { grant: link.id, ticket };
  relay.greet = () => relay.listPeer(peer, claim, { raw: true });
  await relay.relink();
  relay.greet = () => {};
  await page.until(() => page.handshakes === 2, "no second handshake");
  const id = await page.spawn();
  page.attach(id);
  page.type(id, "echo back-$((40 + 2))\r");
  await page.shows(id, /back-42/);
});

test("SE38 host and visitor see the same digits, and a new handshake is a new knock", async () => {
  const host = await openPage();
  host.page.send({ type: "room:hello", device: "h".repeat(32) });
  const guest = await openPage(product.ready.links.view);
  const waits = (count: number) =>
    guest.page.until(
      () => guest.page.messages.filter(({ type }) => type === "room:waiting").length === count,
      "the guest does not wait",
    );
  await waits(1);
  const digits = await guest.page.session.digits();
  expect(digits).toMatch(/^\d{6}$/);
  const listed = (shown: string) =>
    host.page.until(() => {
      const knocks = host.page.messages.findLast(({ type }) => type === "room:knocks");
      return JSON.stringify(knocks ?? {}).includes(shown);
    }, `no knock with ${shown}`);
  await listed(digits);
  const [hostLink, guestLink] = [
    await readLink(product.ready.own),
    await readLink(product.ready.links.view),
  ];
  relay.greet = () => {
    relay.listPeer(host.peer, { grant: hostLink.link.id, ticket: hostLink.ticket }, { raw: true });
    relay.listPeer(
      guest.peer,
      { grant: guestLink.link.id, ticket: guestLink.ticket },
      { raw: true },
    );
  };
  await relay.relink();
  relay.greet = () => {};
  await host.page.until(() => host.page.handshakes === 2, "no second handshake");
  host.page.send({ type: "room:hello", device: "h".repeat(32) });
  await waits(2);
  const again = await guest.page.session.digits();
  expect(again).not.toBe(digits);
  await listed(again);
});

test("SE33 what the relay carries holds no word of the room", async () => {
  const words = ["planted-name", "planted-key", basename(place.root), "planted-output"];
  const { page } = await openPage();
  page.send({ type: "room:hello", device: "d".repeat(32), name: "planted-name" });
  const id = await page.spawn();
  page.attach(id);
  page.type(id, "cd /; planted=planted-; echo planted-key > /dev/null; echo ${planted}output\r");
  await page.shows(id, /planted-output/);
  // A control: the page read all of them.
  const seen = JSON.stringify(page.messages) + page.view(id).text;
  for (const word of words) expect(seen).toContain(word);
  const carried = Buffer.concat(relay.frames.map(({ payload }) => payload)).toString("latin1");
  for (const word of [...words, id]) {
    expect(carried).not.toContain(word);
    for (const shift of [0, 1, 2]) {
      const text = Buffer.from("?".repeat(shift) + word).toString("base64");
      // Without the characters that depend on what is beside the word.
      expect(carried).not.toContain(text.slice(shift === 0 ? 0 : shift + 1, -4));
    }
  }
});
