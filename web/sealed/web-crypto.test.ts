// The handshake with WebCrypto, against the published vector.

import { afterEach, expect, test, vi } from "vitest";
import { toBytes } from "../../protocol/text.ts";
import { concatBytes, NO_BYTES } from "../../protocol/sealed/bytes.ts";
import { readHello, readReady, writeHello } from "../../protocol/sealed/noise.ts";
import { toNonce } from "../../protocol/sealed/record.ts";
import { fromHex, NKPSK0, toHex } from "../../test/support/noise-vector.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import {
  compute,
  findCryptoProblem,
  generateKeyPair,
  importAesKey,
  importKeyPair,
  openAead,
} from "./web-crypto.ts";

const [first, second, ...transport] = NKPSK0.messages;

afterEach(() => void vi.restoreAllMocks());

test("SE1 the page's crypto gives and opens every message of the published vector", async () => {
  const [prologue, psk] = [fromHex(NKPSK0.prologue), fromHex(NKPSK0.psk)];
  const ephemeral = await importKeyPair(fromHex(NKPSK0.pageEphemeral));
  const hostKey = fromHex(NKPSK0.hostStaticPublic);
  const side = { prologue, psk, hostKey, ephemeral };
  const hello = await compute(writeHello(side, fromHex(first.payload)));
  expect(toHex(hello.message)).toBe(first.ciphertext);
  const ready = await compute(readReady(hello.state, ephemeral, fromHex(second.ciphertext)));
  expect(toHex(ready.payload)).toBe(second.payload);
  expect(toHex(ready.keys.handshakeHash)).toBe(NKPSK0.handshakeHash);
  const keys = [await importAesKey(ready.keys.toHost), await importAesKey(ready.keys.toPage)];
  for (const [index, { payload, ciphertext }] of transport.entries()) {
    const key = keys[index % 2] ?? expect.unreachable();
    const nonce = toNonce(Math.floor(index / 2));
    // oxlint-disable-next-line no-await-in-loop
    const opened = await openAead(key, { nonce, aad: NO_BYTES, data: fromHex(ciphertext) });
    expect(toHex(opened)).toBe(payload);
  }
});

test("SE6 the page refuses a public key of low order", async () => {
  const hostKey = await generateKeyPair();
  const message = concatBytes(new Uint8Array(32), toBytes("sealed with a tag"));
  const side = { prologue: NO_BYTES, psk: new Uint8Array(32), hostKey };
  await expect(compute(readHello(side, message))).rejects.toThrow("public key");
});

test("SE21 a page that cannot encrypt gets a sentence that says what to do", async () => {
  expect(await findCryptoProblem()).toBeUndefined();
  const generateKey = vi.spyOn(crypto.subtle, "generateKey");
  generateKey.mockRejectedValue(new DOMException("no such algorithm", "NotSupportedError"));
  expect(await findCryptoProblem()).toContain("Update it");
  vi.spyOn(globalThis, "crypto", "get").mockReturnValue({} as Crypto);
  expect(await findCryptoProblem()).toContain("https");
});

test("SE8 base64 keeps bytes of any length", () => {
  for (const length of [0, 1, 2, 3, 8_191, 8_193, 70_000]) {
    const bytes = Uint8Array.from({ length }, (_none, at) => at * 7);
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
    expect(toHex(fromBase64(toBase64(bytes)))).toBe(toHex(bytes));
  }
});
