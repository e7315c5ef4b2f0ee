// The page's side of the handshake against the host's, and what must not open.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { answerHello, openConfirm, openRecordText } from "../../bridge/sealed/host-handshake.ts";
import type { HandshakeDeps } from "../../bridge/sealed/host-handshake.ts";
import { compute as computeInNode, generateKeyPair } from "../../bridge/sealed/node-crypto.ts";
import { TOKEN_PATTERN } from "../../protocol/grant.ts";
import { deriveLinkKeys } from "../../protocol/sealed/derivation.ts";
import { toText } from "../../protocol/text.ts";
import {
  flipBit,
  framePayload,
  openPage,
  READY,
  sealedHost,
  sealedPair,
  startPage,
  WORKSPACE,
} from "../../test/support/sealed-pair.ts";
import { compute } from "./web-crypto.ts";

test("SE4 both sides derive one ticket and one psk; another workspace, id or secret gives others", async () => {
  const { link, ticket, psk } = sealedHost();
  const page = await compute(deriveLinkKeys(link, WORKSPACE));
  expect([page.ticket, Buffer.from(page.psk).toString("hex")]).toEqual([ticket, psk]);
  expect(ticket).toMatch(TOKEN_PATTERN);
  expect(ticket.slice(3, 13)).toBe(link.id);
  const others = [
    computeInNode(deriveLinkKeys(link, "other-room")),
    computeInNode(deriveLinkKeys({ ...link, id: "0".repeat(10) }, WORKSPACE)),
    computeInNode(deriveLinkKeys({ ...link, secret: "T".repeat(32) }, WORKSPACE)),
  ];
  const secrets = [page, ...others].flatMap((keys) => [
    keys.ticket.slice(-32),
    Buffer.from(keys.psk).toString("hex"),
  ]);
  expect(new Set(secrets).size).toBe(8);
});

test("SE1 a page and a host that shook hands read each other's messages", async () => {
  const { host, page } = await sealedPair();
  expect(page.ready).toEqual(READY);
  page.session.send('{"type":"pty:list"}');
  await page.whenSent(2);
  expect(toText(openRecordText(host, page.sent[1] ?? ""))).toBe('{"type":"pty:list"}');
});

test("SE5 a hello opens at every origin that the host has printed, and at no other", async () => {
  const { deps, link } = sealedHost();
  const { hello } = await startPage(link);
  const tunnel = "https://quick.example.net";
  expect(() => answerHello({ ...deps, origins: [tunnel] }, hello, READY)).toThrow("authentic");
  expect(() => answerHello({ ...deps, origins: [] }, hello, READY)).toThrow("origin");
  const origins = [tunnel, ...deps.origins];
  expect(answerHello({ ...deps, origins }, hello, READY).hello).toEqual({ v: 1 });
});

test("SE5 a hello opens nothing with another host key, psk, workspace, grant or a changed bit", async () => {
  const { deps, link } = sealedHost();
  const { hello } = await startPage(link);
  const other = generateKeyPair();
  const wrong = fc.oneof(
    fc.constant<Partial<HandshakeDeps>>({ hostKey: other }),
    fc.constant<Partial<HandshakeDeps>>({
      hostKey: { privateKey: other.privateKey, publicKey: deps.hostKey.publicKey },
    }),
    fc.nat(255).map((bit) => {
      const psk = flipBit(Buffer.from(deps.psk, "hex"), bit).toString("hex");
      return { psk };
    }),
    fc.stringMatching(/^[a-z0-9]{3,20}$/).map((workspace) => ({ workspace })),
    fc.stringMatching(/^[0-9A-Za-z]{10}$/).map((id) => ({ id: id === deps.id ? "x" : id })),
  );
  fc.assert(
    fc.property(wrong, (part) => {
      expect(() => answerHello({ ...deps, ...part }, hello, READY)).toThrow("not authentic");
    }),
    { numRuns: 40 },
  );
  const bytes = Buffer.from(hello.slice(1), "base64");
  fc.assert(
    fc.property(fc.integer({ min: 8, max: bytes.length * 8 - 1 }), (bit) => {
      const changed = `E${flipBit(Buffer.from(bytes), bit).toString("base64")}`;
      // X25519 ignores the top bit of a public key; the transcript does not.
      expect(() => answerHello(deps, changed, READY)).toThrow("not authentic");
    }),
    { numRuns: 40 },
  );
});

test("SE5 the page believes no answer but that of its host to its own hello", async () => {
  const { deps, link } = sealedHost();
  const [page, other] = [await startPage(link), await startPage(link)];
  const answer = framePayload(answerHello(deps, page.hello, READY).ready);
  await expect(other.finish(answer)).rejects.toThrow("not authentic");
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 8, max: answer.length * 8 - 1 }), async (bit) => {
      const changed = flipBit(new Uint8Array(answer), bit);
      await expect(page.finish(changed)).rejects.toThrow("not authentic");
    }),
    { numRuns: 20 },
  );
  for (const length of [1, 32, 48, answer.length - 1]) {
    // oxlint-disable-next-line no-await-in-loop
    await expect(page.finish(answer.slice(0, length))).rejects.toThrow(/too short|not authentic/);
  }
  await expect(page.finish(answer)).resolves.toMatchObject({ ready: READY });
});

test("SE7 a replayed hello with everything recorded after it opens nothing", async () => {
  const { deps, handshake, page } = await sealedPair();
  page.session.send('{"type":"pty:input"}');
  await page.whenSent(2);
  const replayed = answerHello(deps, handshake.hello, READY);
  expect(() => openConfirm(replayed.session, page.sent[0] ?? "")).toThrow("not authentic");
  const again = answerHello(deps, handshake.hello, READY);
  expect(() => openRecordText(again.session, page.sent[1] ?? "")).toThrow("Record 1");
});

test("SE7 a first record that does not confirm, and a message in the clear, end the handshake", async () => {
  const { deps, link } = sealedHost();
  const handshake = await startPage(link);
  const answer = answerHello(deps, handshake.hello, READY);
  const page = await openPage(handshake, answer);
  page.session.send('{"type":"pty:list"}');
  await page.whenSent(2);
  expect(() => openConfirm(answer.session, '{"type":"e2e:confirm"}')).toThrow("in the clear");
  openConfirm(answer.session, page.sent[0] ?? "");
  expect(() => openConfirm(answer.session, page.sent[1] ?? "")).toThrow("does not confirm");
});

test("SE22 a hello or an answer of another version is refused as such, and other text as no hello", async () => {
  const { deps, link } = sealedHost();
  const page = await startPage(link);
  const bytes = Buffer.from(page.hello.slice(1), "base64");
  bytes[0] = 2;
  const newer = `E${bytes.toString("base64")}`;
  expect(() => answerHello(deps, newer, READY)).toThrow("version 2");
  await expect(page.finish(Uint8Array.of(7, 1, 2))).rejects.toThrow("version 7");
  for (const text of ["", "E", '{"type":"room:hello"}', `E${"A".repeat(5_000)}`, "EAQ=="])
    expect(() => answerHello(deps, text, READY)).toThrow(/not a hello|empty|too short|version/);
});

test("SE20 both sides get the same six digits; another handshake gives others", async () => {
  const [one, other] = [await sealedPair(), await sealedPair()];
  const digits = one.host.digits();
  expect(digits).toMatch(/^\d{6}$/);
  expect(await one.page.session.digits()).toBe(digits);
  expect([one.host.digits(), other.host.digits() === digits]).toEqual([digits, false]);
});
