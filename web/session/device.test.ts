import { expect, test } from "vitest";
import { reopenLastWorkspace } from "./device.ts";

test("FR7 the installed page starts in the workspace that it was in last, by an address without a secret", () => {
  const went: string[] = [];
  const start = (pathname: string, last: string | null, isInstalled = true, hash = "") =>
    reopenLastWorkspace({
      location: { pathname, hash, replace: (to) => void went.push(String(to)) },
      storage: { getItem: () => last },
      isInstalled,
    });
  start("/", "shop");
  expect(went).toEqual(["/w/shop"]);
  start("/", null);
  start("/", "//evil.example");
  start("/", "shop", false);
  start("/", "shop", true, "#pp_x");
  start("/w/other", "shop");
  expect(went).toHaveLength(1);
});
