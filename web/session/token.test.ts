import { expect, test } from "vitest";
import { isToken, parseQuestionId, readInvitation, takeToken, parseWorkspace } from "./token.ts";

const token = `pp_a1B2c3D4e5_${"x".repeat(32)}`;

function page(hash: string, kept: Record<string, string> = {}) {
  const addresses: string[] = [];
  return {
    kept,
    addresses,
    location: { hash, pathname: "/w/my-space", search: "" },
    history: {
      replaceState: (_state: unknown, _title: string, url?: string | URL | null) => {
        addresses.push(String(url));
      },
    },
    storage: {
      getItem: (key: string) => kept[key] ?? null,
      setItem: (key: string, value: string) => {
        kept[key] = value;
      },
    },
  };
}

test("W1 the token moves from the fragment to storage and leaves the address bar", () => {
  const here = page(`#${token}`);
  expect(takeToken(here, "my-space")).toBe(token);
  expect(here.addresses).toEqual(["/w/my-space"]);
  expect(Object.values(here.kept)).toEqual([token]);
});

test("W1 a later load uses what this tab kept, for this workspace only", () => {
  const first = page(`#${token}`);
  takeToken(first, "my-space");
  const later = page("", first.kept);
  expect(takeToken(later, "my-space")).toBe(token);
  expect(later.addresses).toEqual([]);
  expect(takeToken(later, "other-space")).toBeUndefined();
});

test("W1 a cut token is not kept, and not left in sight", () => {
  const here = page("#pp_a1B2c3D4e5_half");
  expect(takeToken(here, "my-space")).toBeUndefined();
  expect(here.addresses).toEqual(["/w/my-space"]);
  expect(here.kept).toEqual({});
});

test("W1 only a workspace's own address names one", () => {
  expect(parseWorkspace("/w/my-space")).toBe("my-space");
  expect(parseWorkspace("/w/my-space/")).toBe("my-space");
  for (const path of ["/", "/w/", "/w/My-Space", "/w/a/b", "/x/my-space"])
    expect(parseWorkspace(path)).toBeUndefined();
});

test("W29 the address of a question is its workspace's page, with the question in front", () => {
  expect(parseWorkspace("/w/my-space/approve/ap-1")).toBe("my-space");
  expect(parseQuestionId("/w/my-space/approve/ap-1")).toBe("ap-1");
  expect(parseQuestionId("/w/my-space")).toBeUndefined();
  for (const path of ["/w/my-space/approve", "/w/my-space/approve/", "/w/my-space/approve/a/b"])
    expect([parseWorkspace(path), parseQuestionId(path)], path).toEqual([undefined, undefined]);
  const long = `/w/my-space/approve/${"x".repeat(33)}`;
  expect([parseWorkspace(long), parseQuestionId(long)]).toEqual([undefined, undefined]);
});

test("W6 what a person pastes is a token, a link of this relay, or explained", () => {
  const here = { origin: "http://127.0.0.1:1234", workspace: "my-space" };
  expect(readInvitation(` ${token}\n`, here)).toEqual({ kind: "token", token });
  expect(readInvitation(`${here.origin}/w/my-space#${token}`, here)).toEqual({
    kind: "token",
    token,
  });
  expect(readInvitation(`${here.origin}/w/other-space#${token}`, here)).toEqual({
    kind: "elsewhere",
    url: `/w/other-space#${token}`,
  });
  expect(readInvitation(`https://example.com/w/my-space#${token}`, here)).toEqual({
    kind: "foreign",
    origin: "https://example.com",
  });
  for (const text of ["", "hello", `${here.origin}/w/my-space`, "javascript:alert(1)#x"])
    expect(readInvitation(text, here)).toEqual({ kind: "unreadable" });
});

const sealed = `pp2_a1B2c3D4e5_${"x".repeat(32)}_${"0".repeat(43)}`;

test("SE41 a sealed link leaves the address bar, is kept like a token and may be pasted", () => {
  const here = page(`#${sealed}`);
  expect(takeToken(here, "my-space")).toBe(sealed);
  expect(here.addresses).toEqual(["/w/my-space"]);
  expect(Object.values(here.kept)).toEqual([sealed]);
  const at = { origin: "https://relay.example.com", workspace: "my-space" };
  const pasted = { kind: "token", token: sealed };
  expect(readInvitation(sealed, at)).toEqual(pasted);
  expect(readInvitation(`${at.origin}/w/my-space#${sealed}`, at)).toEqual(pasted);
});

test.each([sealed.slice(0, -1), `${sealed}x`, sealed.replace("pp2_", "pp3_")])(
  "SE50 %s is neither kept nor replaced by a kept token",
  (word) => {
    const first = page(`#${token}`);
    takeToken(first, "my-space");
    const here = page(`#${word}`, first.kept);
    expect(takeToken(here, "my-space")).toBe(word);
    expect(isToken(word)).toBe(false);
    expect(here.addresses).toEqual(["/w/my-space"]);
    expect(Object.values(here.kept)).toEqual([token]);
  },
);
