import { expect, test } from "vitest";
import { parseLink, shortenMiddle } from "./terminal-link.ts";

const parts = (uri: string) => {
  const link = parseLink(uri);
  return link && [link.before, link.target, link.after];
};

test("WT49 a link shows whom it leads to, whatever stands around that", () => {
  expect(parts("https://example.com/a?b#c")).toEqual(["https://", "example.com", "/a?b#c"]);
  expect(parts("http://example.com:8080")).toEqual(["http://", "example.com:8080", "/"]);
  expect(parts("https://bank.example@evil.example/x")).toEqual([
    "https://bank.example@",
    "evil.example",
    "/x",
  ]);
  expect(parts("https://evil.example:pw@evil.example/")?.[0]).toBe("https://evil.example:pw@");
  expect(parts("https://аpple.com/")?.[1]).toBe("xn--pple-43d.com");
  expect(parts("mailto:ana@example.com?subject=x")).toEqual([
    "mailto:",
    "ana@example.com",
    "?subject=x",
  ]);
});

test("WT49 a name to sign in with is told from the host, however long, and a long host keeps its end", () => {
  const long = `http://${"github.com%2Flogin".repeat(300)}@evil.test/x`;
  expect(parseLink(long)).toMatchObject({
    target: "evil.test",
    credentials: "github.com%2Flogin".repeat(300),
  });
  expect(parseLink("http://a@github.com:b@evil.test/github.com")?.target).toBe("evil.test");
  expect(parseLink("https://example.com/@evil.test")).toMatchObject({
    target: "example.com",
    credentials: "",
  });
  expect(shortenMiddle("evil.test", 96)).toBe("evil.test");
  const host = shortenMiddle(`${"github.com.".repeat(20)}evil.test`, 40);
  expect(host).toHaveLength(40);
  expect(host).toMatch(/^github\.com….*\.evil\.test$/);
});

test("WT50 only http, https and mailto are followed", () => {
  for (const uri of [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vscode://file/x",
    "blob:https://example.com/1",
    "about:blank",
    "mailto:",
    "https://",
    "//example.com",
    "",
    "not a link",
  ])
    expect(parseLink(uri), uri).toBeUndefined();
});
