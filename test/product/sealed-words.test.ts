// What reaches the relay of a sealed room, byte by byte; a plain room is the control.

import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FrameType } from "../../protocol/frame-types.ts";
import { decodeFrames } from "../../protocol/frame.ts";
import { findPlanted } from "../support/planted-words.ts";
import { Place } from "../support/product.ts";
import type { RecordedSocket } from "../support/recording-proxy.ts";
import { RecordingProxy } from "../support/recording-proxy.ts";
import { TestRelay } from "../support/relay.ts";
import type { WalkClient } from "../support/room-walk.ts";
import {
  connectPlain,
  connectSealed,
  getSecret,
  WALK_WORDS,
  walkThroughRoom,
} from "../support/room-walk.ts";
import type { Product } from "../support/product.ts";

const KEY = "key";
const FOLDER = "PlantedFolderPlover";

/** Walks through a room behind a recording relay. Returns what was planted, and what was found. */
async function walk(
  e2e: "on" | "off",
  connect: (product: Product, link: string) => Promise<WalkClient>,
) {
  await using relay = await TestRelay.start({ loopback: false, relayKey: KEY });
  await using proxy = await RecordingProxy.start(relay.port);
  const home = join(tmpdir(), `${FOLDER}-${randomBytes(4).toString("hex")}`);
  await using place = new Place({ PAIRPTY_RELAY_KEY: KEY }, home);
  const product = await place.start("--relay", proxy.url, "--e2e", e2e);
  const share = ["share", "--role", "edit", "--may-share", "--label", WALK_WORDS.label, "--json"];
  const { link } = JSON.parse((await place.run(share)).stdout);
  const client = await connect(product, link);
  const made = await walkThroughRoom(client, place);
  client.close();
  await product.stop();
  const words = { ...WALK_WORDS, folder: FOLDER, "the link's secret": getSecret(link), ...made };
  const found = findPlanted(proxy.bytes, words);
  return { planted: Object.keys(words), found, link, sockets: proxy.sockets };
}

test("SE66 control: in a plain room every planted word reaches the relay", async () => {
  const { planted, found, link } = await walk("off", connectPlain);
  expect(link).toContain("#pp_");
  expect(found).toEqual(planted);
});

/** Fields of the bridge's frames that are JSON, by frame: what SECURITY.md lists, and no more. */
const CLEAR_FIELDS: Readonly<Record<string, readonly string[]>> = {
  hello: [
    "version",
    "workspace",
    "origin",
    "publicKey",
    "signature",
    "instance",
    "epoch",
    "software",
    "relayKey",
  ],
  grants: ["replace", "add", "remove"],
  farewell: ["state", "graceMs", "by"],
  channelOpen: ["key", "text"],
  join: ["peer", "attach", "offset"],
  leave: ["peer"],
  watch: ["peer", "on"],
  acked: ["peer", "offset"],
  peerClose: ["code", "reason"],
  streamHead: ["status", "headers"],
};
/** Frames whose payload is records, sealed output or numbers. */
const OTHER_FRAMES: ReadonlySet<string> = new Set([
  "peerSend",
  "groupSend",
  "output",
  "alive",
  "nudge",
  "channelClose",
  "streamData",
  "streamEnd",
  "streamCredit",
]);
const GRANT_FIELDS = ["id", "hash", "expiresAt", "doors", "speaks", "role", "scopes", "label"];
const SEALED_ANSWER_HEADERS = [
  ["cache-control", "no-store"],
  ["content-type", "application/octet-stream"],
];
/** Hello, records, and what the room answers itself or asks for. */
const PAGE_TEXT = /^(?:[Ee][A-Za-z0-9+/]+=*|ping|\{"type":"pairpty:pong","n":\d+\})$/;

/** Returns the clear fields of everything that the bridge sent on its link, by frame. */
function listClearFields(sockets: readonly RecordedSocket[]): Map<string, Set<string>> {
  const names = new Map<number, string>(
    Object.entries(FrameType).map(([name, type]) => [type, name]),
  );
  const fields = new Map<string, Set<string>>();
  const link = sockets.filter(({ start, isToRelay }) => isToRelay && start.includes("/bridge "));
  for (const message of link.flatMap(({ messages }) => messages)) {
    for (const { type, payload } of decodeFrames(new Uint8Array(message.data)).frames) {
      const name = names.get(type) ?? String(type);
      const known = fields.get(name) ?? new Set();
      fields.set(name, known);
      if (OTHER_FRAMES.has(name)) continue;
      const value: Record<string, unknown> = JSON.parse(Buffer.from(payload).toString());
      for (const field of Object.keys(value)) known.add(field);
      // Of a sealed answer, the relay gets the same head as of every other.
      if (name === "streamHead")
        expect(value).toMatchObject({ status: 200, headers: SEALED_ANSWER_HEADERS });
      const added = Array.isArray(value["add"]) ? value["add"] : [];
      for (const grant of added) {
        expect(GRANT_FIELDS).toEqual(expect.arrayContaining(Object.keys(grant)));
        expect(grant).toMatchObject({ scopes: [], label: "" });
      }
    }
  }
  return fields;
}

test("SE67 in a sealed room the bridge sends the relay no clear field beyond the list, and a page sends only a hello, records, acks and pongs", async () => {
  const { sockets } = await walk("on", connectSealed);
  const fields = listClearFields(sockets);
  expect([...fields.keys()]).toContain("grants");
  for (const [frame, seen] of fields) {
    if (OTHER_FRAMES.has(frame)) continue;
    const listed = new Set(CLEAR_FIELDS[frame]);
    expect(
      [...seen].filter((field) => !listed.has(field)),
      frame,
    ).toEqual([]);
  }
  const pages = sockets.filter(({ start, isToRelay }) => isToRelay && start.includes("/parties/"));
  expect(pages).toHaveLength(1);
  for (const { isText, data } of pages.flatMap(({ messages }) => messages)) {
    if (isText) expect(data.toString()).toMatch(PAGE_TEXT);
    else
      expect(decodeFrames(new Uint8Array(data)).frames).toMatchObject([{ type: FrameType.acks }]);
  }
});

test("SE66 in a sealed room no planted word is in any byte that reaches the relay", async () => {
  const { found, link } = await walk("on", connectSealed);
  expect(link).toContain("#pp2_");
  expect(found).toEqual([]);
});

test("SE66 the search finds a word in base64 at any place, in either alphabet", () => {
  const word = "Planted?Word>~";
  for (const before of ["", "x", "xx", "xxx"]) {
    for (const encoding of ["base64", "base64url", "hex", "utf8"] as const) {
      const bytes = Buffer.from(Buffer.from(`${before}${word}yz`).toString(encoding));
      expect(findPlanted(bytes, { word }), `${encoding} after ${before.length}`).toEqual(["word"]);
    }
  }
  expect(findPlanted(Buffer.from("Planted Word"), { word })).toEqual([]);
});
