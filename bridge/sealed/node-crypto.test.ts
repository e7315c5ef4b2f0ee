// The handshake with Node's crypto, against the published vector.

import { expect, test } from "vitest";
import { toBytes } from "../../protocol/text.ts";
import { concatBytes, NO_BYTES } from "../../protocol/sealed/bytes.ts";
import { readHello, readReady, writeHello, writeReady } from "../../protocol/sealed/noise.ts";
import { toNonce } from "../../protocol/sealed/record.ts";
import { fromHex, NKPSK0, toHex } from "../../test/support/noise-vector.ts";
import { compute, generateKeyPair, importKeyPair, sealAead } from "./node-crypto.ts";

const PKCS8_PREFIX = fromHex("302e020100300506032b656e04220420");
const importRaw = (hex: string) => importKeyPair(concatBytes(PKCS8_PREFIX, fromHex(hex)));
const [first, second, ...transport] = NKPSK0.messages;

test("SE1 the host's crypto gives every message of the published vector", () => {
  const [prologue, psk] = [fromHex(NKPSK0.prologue), fromHex(NKPSK0.psk)];
  const hostKey = importRaw(NKPSK0.hostStatic);
  expect(toHex(hostKey.publicKey)).toBe(NKPSK0.hostStaticPublic);
  const read = compute(readHello({ prologue, psk, hostKey }, fromHex(first.ciphertext)));
  expect(toHex(read.payload)).toBe(first.payload);
  const ephemeral = importRaw(NKPSK0.hostEphemeral);
  const answer = compute(
    writeReady(read.state, { theirs: read.theirs, ephemeral }, fromHex(second.payload)),
  );
  expect(toHex(answer.message)).toBe(second.ciphertext);
  expect(toHex(answer.keys.handshakeHash)).toBe(NKPSK0.handshakeHash);
  for (const [index, { payload, ciphertext }] of transport.entries()) {
    const key = index % 2 === 0 ? answer.keys.toHost : answer.keys.toPage;
    const nonce = toNonce(Math.floor(index / 2));
    expect(toHex(sealAead({ key, nonce, aad: NO_BYTES, data: fromHex(payload) }))).toBe(ciphertext);
  }
});

test("SE1 the page's steps run on Node's crypto, too, for clients in a terminal", () => {
  const [prologue, psk] = [fromHex(NKPSK0.prologue), fromHex(NKPSK0.psk)];
  const ephemeral = importRaw(NKPSK0.pageEphemeral);
  const hostKey = fromHex(NKPSK0.hostStaticPublic);
  const hello = compute(writeHello({ prologue, psk, hostKey, ephemeral }, fromHex(first.payload)));
  expect(toHex(hello.message)).toBe(first.ciphertext);
  const ready = compute(readReady(hello.state, ephemeral, fromHex(second.ciphertext)));
  expect(toHex(ready.payload)).toBe(second.payload);
  expect(toHex(ready.keys.handshakeHash)).toBe(NKPSK0.handshakeHash);
});

test("SE6 the host refuses a hello whose public key is of low order", () => {
  const hostKey = generateKeyPair();
  const message = concatBytes(new Uint8Array(32), toBytes("sealed with a tag"));
  const side = { prologue: NO_BYTES, psk: new Uint8Array(32), hostKey };
  expect(() => compute(readHello(side, message))).toThrow("public key");
});

test("SE19 a key of another kind is not imported", () => {
  const ed25519 = fromHex(`302e020100300506032b657004220420${"11".repeat(32)}`);
  expect(() => importKeyPair(ed25519)).toThrow("X25519");
});
