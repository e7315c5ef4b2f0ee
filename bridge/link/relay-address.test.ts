import { expect, test } from "vitest";
import { listOrigins, parseRelayAddress } from "./relay-address.ts";

test("K13 a relay is named by its whole origin; a bare word or address is not taken for one", () => {
  expect(parseRelayAddress("https://relay.example.com", false).origin).toBe(
    "https://relay.example.com",
  );
  expect(parseRelayAddress("wss://relay.example.com/", false).origin).toBe(
    "https://relay.example.com",
  );
  expect(parseRelayAddress("relay.example.com:8443", false).origin).toBe(
    "https://relay.example.com:8443",
  );
  for (const text of ["foo", "foo:1", "localhost:8787", "127.0.0.1:8787", "x.example/path", ""]) {
    expect(() => parseRelayAddress(text, true), text).toThrow(`${text} is not a relay's address`);
  }
});

test("SE75 a loopback relay has an origin for each spelling of this machine, another relay its own alone", () => {
  const list = (text: string) => listOrigins(parseRelayAddress(text, true));
  expect(list("http://127.0.0.1:8787")).toEqual([
    "http://127.0.0.1:8787",
    "http://localhost:8787",
    "http://[::1]:8787",
  ]);
  expect(list("https://localhost")).toEqual([
    "https://localhost",
    "https://127.0.0.1",
    "https://[::1]",
  ]);
  expect(list("https://relay.example.com:8443")).toEqual(["https://relay.example.com:8443"]);
  expect(list("http://127.0.0.2:8787")).toEqual(["http://127.0.0.2:8787"]);
});
