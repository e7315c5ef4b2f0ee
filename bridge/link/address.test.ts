import { expect, test } from "vitest";
import { parseRelayAddress } from "./address.ts";

test("K13 a relay is named by its whole origin, and nothing is guessed", () => {
  expect(parseRelayAddress("https://relay.example.com", false).origin).toBe(
    "https://relay.example.com",
  );
  expect(parseRelayAddress("wss://relay.example.com/", false).origin).toBe(
    "https://relay.example.com",
  );
  for (const text of ["foo", "relay.example.com", "localhost:8787", "ftp://x", "https://x/path"]) {
    expect(() => parseRelayAddress(text, true), text).toThrow(`${text} is not a relay's address`);
  }
});
