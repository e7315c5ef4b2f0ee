import { expect, test } from "vitest";
import { listSandboxHints } from "./sandbox-hints.ts";

test.each([
  ["npm error code EAI_AGAIN", /without a network.*sandbox\.network/],
  ["curl: (6) Could not resolve host: example.com", /without a network/],
  ["  Local: http://localhost:5173/", /no browser can reach its ports.*sandbox\.network/],
  ["Server listening on port 3000", /no browser can reach/],
  ["touch: cannot touch '/x': Read-only file system", /only the workspace and \/tmp are writable/],
  ["error: could not write config file .git/config: Device or resource busy", /git's config/],
])("I18 behind a wall, %j is explained, with what the user can allow", (output, expected) => {
  expect(listSandboxHints("sandbox", "none", output).join(" ")).toMatch(expected);
  expect(listSandboxHints("none", "none", output)).toEqual([]);
});

test("I18 what the wall does not explain is not put on it", () => {
  expect(listSandboxHints("sandbox", "none", "1 test failed")).toEqual([]);
  expect(listSandboxHints("container", "host", "ENOTFOUND; listening on 3000")).toEqual([]);
});
