// A relay that lies to a real bridge: it stamps links on strangers, mixes up tickets, keeps peers that
// the bridge closed, and comes back with a state of its own. Nothing runs, and no one sees what is not
// theirs.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FrameType } from "../../protocol/frame-types.ts";
import { CloseCode } from "../../protocol/codes.ts";
import { toText } from "../../protocol/text.ts";
import type { Claim } from "../support/lying-relay.ts";
import { LyingRelay } from "../support/lying-relay.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { until } from "../support/waiting.ts";

type Role = "view" | "edit" | "agent";
const ROLES: readonly Role[] = ["view", "edit", "agent"];

/** What a grant's holder would bring. */
interface Holder {
  readonly id: string;
  readonly token: string;
}

let place: Place;
let relay: LyingRelay;
let product: Product;
const good = new Map<Role, Holder>();
const other = new Map<Role, Holder>();
const revoked = new Map<Role, Holder>();
const expired = new Map<Role, Holder>();
const sealed = new Map<Role, Holder>();

async function share(role: Role, ...more: string[]): Promise<Holder> {
  const args = ["share", "--role", role, "--json", ...more, ...place.code];
  const { stdout, stderr, code } = await place.run(args);
  if (code !== 0) throw new Error(stderr);
  const made: { grant: { id: string }; token: string } = JSON.parse(stdout);
  return { id: made.grant.id, token: made.token };
}

const grantsPath = () => join(place.stateFolder(), "grants.json");

/** Seals a grant as its making would: a key beside its hash. */
function seal(ids: readonly string[]): void {
  const stored: { grants: { id: string; psk?: string }[] } = JSON.parse(
    readFileSync(grantsPath(), "utf8"),
  );
  for (const grant of stored.grants) if (ids.includes(grant.id)) grant.psk = "ab".repeat(32);
  writeFileSync(grantsPath(), JSON.stringify(stored));
}

beforeAll(async () => {
  place = new Place();
  relay = await LyingRelay.start();
  product = await place.start("--relay", relay.url, "--e2e", "off");
  await relay.linked();
  for (const role of ROLES) {
    good.set(role, await share(role));
    other.set(role, await share(role));
    sealed.set(role, await share(role));
    expired.set(role, await share(role, "--expires", "1s"));
    const gone = await share(role);
    await place.run(["revoke", gone.id]);
    revoked.set(role, gone);
  }
  // The sealed grants exist from the next start on.
  await product.stop();
  seal([...sealed.values()].map(({ id }) => id));
  product = await place.start("--relay", relay.url, "--e2e", "off");
  await relay.settled();
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
});

function holder(of: ReadonlyMap<Role, Holder>, role: Role): Holder {
  return of.get(role) ?? expect.unreachable(`there is a grant for ${role}`);
}

/** A ticket of the right form that no one was given. */
const forged = (id: string) => `pp_${id}_${"x".repeat(32)}`;

/** What the relay claims of a caller with this role, and the code by which a socket is closed. */
const LIES: Record<string, { claim: (role: Role) => Claim; close: number; status: number }> = {
  "no ticket": {
    claim: (role) => ({ grant: holder(good, role).id }),
    close: CloseCode.tryLater,
    status: 401,
  },
  "a wrong ticket": {
    claim: (role) => ({ grant: holder(good, role).id, ticket: forged(holder(good, role).id) }),
    close: CloseCode.unauthorized,
    status: 401,
  },
  "another grant's ticket": {
    claim: (role) => ({ grant: holder(good, role).id, ticket: holder(other, role).token }),
    close: CloseCode.unauthorized,
    status: 401,
  },
  "a guest's ticket for the edit link": {
    claim: (role) => ({ grant: holder(good, "edit").id, ticket: holder(other, role).token }),
    close: CloseCode.unauthorized,
    status: 401,
  },
  "a revoked one's": {
    claim: (role) => ({ grant: holder(revoked, role).id, ticket: holder(revoked, role).token }),
    close: CloseCode.unauthorized,
    status: 401,
  },
  "an expired one's": {
    claim: (role) => ({ grant: holder(expired, role).id, ticket: holder(expired, role).token }),
    close: CloseCode.unauthorized,
    status: 401,
  },
  "a sealed one's": {
    claim: (role) => ({ grant: holder(sealed, role).id, ticket: holder(sealed, role).token }),
    close: CloseCode.forbidden,
    status: 403,
  },
};

const REQUESTS = [
  ["GET", "/pty"],
  ["POST", "/pty/spawn"],
  ["DELETE", "/pty/none"],
  ["GET", "/health"],
  ["POST", "/mcp"],
  ["POST", "/files?name=x"],
  ["GET", "/recordings"],
  ["GET", "/panels"],
] as const;

test.each(Object.entries(LIES))(
  "G41 G42 G43 with %s no socket opens, as whatever role, in either rendition, nor a coding agent's",
  async (_what, { claim, close }) => {
    const marker = join(place.folder, "ran");
    for (const role of ROLES) {
      for (const more of [{}, { raw: true }, { door: "acp" }]) {
        const peer = relay.join(claim(role), more);
        relay.say(peer, { type: "room:hello", name: "Mallory" });
        relay.say(peer, { type: "pty:spawn", id: "s1", command: `touch ${marker}` });
        expect(await relay.closeCode(peer)).toBe(close);
        await relay.settled();
        // Nothing but the close: no list, no names, no greeting.
        expect(relay.sentTo(peer).map(({ type }) => type)).toEqual([FrameType.peerClose]);
      }
    }
    expect(existsSync(marker)).toBe(false);
  },
);

test.each(Object.entries(LIES))(
  "G41 G42 G43 with %s no request is served, as whatever role, at whatever path",
  async (_what, { claim, status }) => {
    for (const role of ROLES) {
      for (const [method, path] of REQUESTS) {
        const what = `${role} ${method} ${path}`;
        const body = method === "POST" ? "{}" : "";
        const answer = await relay.request(claim(role), method, path, body);
        expect([what, answer]).toEqual([what, status]);
      }
    }
  },
);

test("G41 with its own ticket each opens what its role allows", async () => {
  const claimOf = (role: Role): Claim => {
    const { id, token } = holder(good, role);
    return { grant: id, ticket: token };
  };
  for (const role of ["view", "edit"] as const) {
    const peer = relay.join(claimOf(role));
    await until("it is greeted", () =>
      relay.textsTo(peer).some((text) => text.includes("pty:terminals")),
    );
    expect(await relay.request(claimOf(role), "GET", "/pty")).toBe(200);
    relay.send("peerLeft", peer);
  }
  expect(await relay.request(claimOf("agent"), "GET", "/pty")).toBe(403);
  expect(await relay.request(claimOf("agent"), "GET", "/health")).toBe(200);
});

test("G44 after a cut everyone is verified again: the right ticket stays in, a lie does not", async () => {
  const { id, token } = holder(good, "edit");
  const honest = { grant: id, ticket: token };
  const [stays, loses, swaps] = [relay.join(honest), relay.join(honest), relay.join(honest)];
  for (const peer of [stays, loses, swaps]) await relay.next("peerSend", peer);
  relay.greet = () => {
    relay.listPeer(stays, honest);
    relay.listPeer(loses, { grant: id });
    relay.listPeer(swaps, { grant: holder(other, "edit").id, ticket: holder(other, "edit").token });
  };
  await relay.relink();
  expect(await relay.closeCode(loses)).toBe(CloseCode.tryLater);
  expect(await relay.closeCode(swaps)).toBe(CloseCode.unauthorized);
  expect(relay.sentTo(stays).some(({ type }) => type === FrameType.peerClose)).toBe(false);
  relay.greet = () => {};
  for (const peer of [stays, loses, swaps]) relay.send("peerLeft", peer);
});

test("G45 a revoked peer that the relay keeps types nothing, sees nothing, and is not let in by old state", async () => {
  const guest = await share("edit");
  const claim = { grant: guest.id, ticket: guest.token };
  const spawned = await fetchTerminal(claim);
  const peer = relay.join(claim);
  relay.say(peer, { type: "pty:attach", id: spawned });
  await until("it is attached", () =>
    relay.textsTo(peer).some((text) => text.includes("pty:attached")),
  );
  const channel = relay.frames.findLast(({ type }) => type === FrameType.channelOpen);
  await place.run(["revoke", guest.id]);
  expect(await relay.closeCode(peer)).toBe(CloseCode.unauthorized);
  const before = relay.frames.length;
  const marker = join(place.folder, "typed");
  relay.say(peer, { type: "pty:input", id: spawned, data: `touch ${marker}\r` });
  await relay.settled();
  // Its channel was closed with it, so that the room gets no more of the terminal.
  expect(relay.frames.some(({ type }) => type === FrameType.channelClose)).toBe(true);
  relay.greet = () => {
    relay.send("channelState", channel?.stream ?? 0, { key: "made up", received: 0 });
    relay.listPeer(peer, claim, {
      subscriptions: [{ channel: channel?.stream ?? 0, attach: 1, skipped: false }],
    });
  };
  await relay.relink();
  relay.greet = () => {};
  relay.say(peer, { type: "pty:input", id: spawned, data: `touch ${marker}\r` });
  await relay.settled();
  const later = relay.frames.slice(before).filter(({ stream }) => stream === peer);
  expect(later.every(({ type }) => type === FrameType.peerClose)).toBe(true);
  expect(existsSync(marker)).toBe(false);
});

test("G47 a relay that says a guest was let in before makes no one skip knocking", async () => {
  const guest = await share("view", "--knock");
  const claim = { grant: guest.id, ticket: guest.token };
  const was = { subscriptions: [{ channel: 1, attach: 1, skipped: false }] };
  const peer = relay.join(claim, was);
  await relay.next("peerSend", peer);
  relay.greet = () => relay.listPeer(1_000_000, claim, was);
  await relay.relink();
  relay.greet = () => {};
  await relay.next("peerSend", 1_000_000);
  for (const number of [peer, 1_000_000]) {
    expect(relay.textsTo(number).map((text) => JSON.parse(text).type)).toEqual(["room:waiting"]);
  }
});

test("G46 each lie is one line of the log for its link, however often the relay repeats it", async () => {
  const { id } = holder(good, "view");
  for (let times = 0; times < 50; times++) relay.join({ grant: id });
  await relay.settled();
  const { stdout } = await place.run(["logs"]);
  const lines = stdout
    .split("\n")
    .filter((line) => line.includes(`the link ${id}`) && line.includes("without a ticket"));
  expect(lines.map((line) => line.slice(line.indexOf("the relay"))).toSorted()).toEqual([
    `the relay named the link ${id} for a caller at acp without a ticket; refused`,
    `the relay named the link ${id} for a caller at http without a ticket; refused`,
    `the relay named the link ${id} for a caller at people without a ticket; refused`,
  ]);
});

test("G49 channels that the room makes up, twice and for no one, carry nothing of a private terminal", async () => {
  const guest = await share("edit");
  const claim = { grant: guest.id, ticket: guest.token };
  const id = await fetchTerminal(claim);
  const peer = relay.join(claim, { raw: true });
  const from = relay.frames.length;
  relay.say(peer, { type: "pty:attach", id });
  const opened = await relay.nextAfter("channelOpen", from);
  const { key }: { key: string } = JSON.parse(toText(opened.payload));
  relay.say(peer, { type: "pty:private", id, on: true });
  await relay.settled();
  await place.run(["revoke", guest.id]);
  await relay.closeCode(peer);
  const before = relay.frames.length;
  const view = holder(good, "view");
  relay.greet = () => {
    for (let number = 901; number < 911; number++)
      relay.send("channelState", number, { key, received: 0 });
    relay.send("channelState", 0xffff_ffff, { key, received: 0 });
    for (const [number, skipped] of [
      [2_000_001, false],
      [2_000_002, true],
    ] as const) {
      relay.listPeer(
        number,
        { grant: view.id, ticket: view.token },
        {
          subscriptions: [{ channel: 901, attach: 0xffff_fffe, skipped }],
        },
      );
    }
  };
  await relay.relink();
  relay.greet = () => {};
  const owner = holder(good, "edit");
  const owning = relay.join({ grant: owner.id, ticket: owner.token });
  relay.say(owning, { type: "pty:attach", id });
  await until("it is attached", () =>
    relay.textsTo(owning).some((text) => text.includes("pty:attached")),
  );
  relay.say(owning, { type: "pty:input", id, data: "echo secret\r" });
  await relay.nextAfter("output", before);
  await relay.settled();
  const later = relay.frames.slice(before);
  const carrying = later
    .filter(({ type }) => type === FrameType.output)
    .map(({ stream }) => stream);
  // Only the channel that the bridge opened itself, for the one who may see it.
  expect([...new Set(carrying)]).toEqual([carrying[0]]);
  expect(carrying[0]).toBeLessThan(901);
  for (const number of [2_000_001, 2_000_002]) {
    expect(relay.textsTo(number).join("")).not.toContain("pty:attached");
    relay.send("peerLeft", number);
  }
  relay.send("peerLeft", owning);
});

test("G49 G45 a peer that the room reports twice loses its channel with its link all the same", async () => {
  const guest = await share("view");
  const claim = { grant: guest.id, ticket: guest.token };
  const owner = holder(good, "edit");
  const id = await fetchTerminal({ grant: owner.id, ticket: owner.token });
  const peer = relay.join(claim, { raw: true });
  const from = relay.frames.length;
  relay.say(peer, { type: "pty:attach", id });
  const { stream } = await relay.nextAfter("channelOpen", from);
  relay.listPeer(peer, claim, { raw: true });
  await relay.settled();
  await place.run(["revoke", guest.id]);
  await relay.closeCode(peer);
  await relay.settled();
  const closed = relay.sentTo(stream).some(({ type }) => type === FrameType.channelClose);
  expect(closed).toBe(true);
});

test("G50 a role opens its own doors, whatever door the room names", async () => {
  const agent = holder(good, "agent");
  const asPerson = relay.join({ grant: agent.id, ticket: agent.token });
  expect(await relay.closeCode(asPerson)).toBe(CloseCode.forbidden);
  for (const role of ["view", "edit"] as const) {
    const { id, token } = holder(good, role);
    const asAgent = relay.join({ grant: id, ticket: token }, { door: "acp" });
    expect(await relay.closeCode(asAgent)).toBe(CloseCode.forbidden);
  }
});

test("G51 numbers of this machine's windows, and none, are no peer's", async () => {
  const { id, token } = holder(good, "edit");
  const before = relay.frames.length;
  for (const number of [0, 0x8000_0001, 0xffff_ffff]) {
    relay.listPeer(number, { grant: id, ticket: token });
    relay.say(number, { type: "pty:spawn", id: "x" });
  }
  await relay.settled();
  const types = relay.frames.slice(before).map(({ type }) => type);
  expect(types).not.toContain(FrameType.peerSend);
  expect(types).not.toContain(FrameType.peerClose);
});

test("G46 a caller that was refused is not reported as joined", async () => {
  const { id } = holder(good, "edit");
  const peer = relay.join({ grant: id });
  await relay.closeCode(peer);
  await relay.settled();
  const { stdout } = await place.run(["logs"]);
  expect(stdout).not.toContain(`peer ${peer} joined`);
});

test("G52 a terminal that starts while its opener is removed is killed, and nothing is answered", async () => {
  const { id, token } = holder(good, "edit");
  const [removed, remover] = [
    relay.join({ grant: id, ticket: token }),
    relay.join({ grant: id, ticket: token }),
  ];
  relay.say(remover, { type: "room:hello", name: "Ana" });
  await relay.next("peerSend", removed);
  relay.say(removed, { type: "pty:spawn", id: "late" });
  relay.say(remover, { type: "room:remove", who: `peer-${removed}` });
  expect(await relay.closeCode(removed)).toBe(CloseCode.sentAway);
  await until("the terminal is closed again", () =>
    relay.frames.some(({ payload }) => toText(payload).includes('"event":"closed"')),
  );
  expect(relay.textsTo(removed).join("")).not.toContain("pty:spawned");
  for (const peer of [removed, remover]) relay.send("peerLeft", peer);
});

/** Opens a terminal by HTTP; returns its id. */
async function fetchTerminal(claim: Claim): Promise<string> {
  expect(await relay.request(claim, "POST", "/pty/spawn", "{}")).toBe(201);
  const data = relay.frames.findLast(({ type }) => type === FrameType.streamData);
  const made: { id: string } = JSON.parse(toText(data?.payload ?? new Uint8Array()));
  return made.id;
}
