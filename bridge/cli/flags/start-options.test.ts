// What flags, variables and files come to.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { StartFlags } from "./start-options.ts";
import { loadStartConfiguration, resolveOptions } from "./start-options.ts";

const folder = mkdtempSync(join(tmpdir(), "pp-options-"));
const config = join(folder, "config.json");
writeFileSync(config, "{}");
afterAll(() => rmSync(folder, { recursive: true }));

const RELAY = "https://relay.example";

function toOptions(flags: StartFlags, environment: NodeJS.ProcessEnv) {
  const all = { cwd: folder, config, ...flags };
  const around = { SHELL: "/bin/sh", PATH: "/usr/bin:/bin", ...environment };
  const { relay, tunnel } = resolveOptions(all, around, loadStartConfiguration(all, around));
  return { relay, tunnel };
}

test("TU9 of a relay and a tunnel the stronger layer counts", () => {
  expect(toOptions({ tunnel: "auto" }, { PAIRPTY_RELAY: RELAY })).toEqual({
    relay: undefined,
    tunnel: "auto",
  });
  expect(toOptions({ relay: RELAY }, { PAIRPTY_TUNNEL: "ngrok" })).toEqual({
    relay: RELAY,
    tunnel: undefined,
  });
  expect(toOptions({ tunnel: "off" }, { PAIRPTY_TUNNEL: "ngrok" }).tunnel).toBeUndefined();
  expect(toOptions({}, { PAIRPTY_TUNNEL: "cmd {port}" }).tunnel).toBe("cmd {port}");
});

test("TU9 both in one layer exclude each other", () => {
  expect(() => toOptions({ relay: RELAY, tunnel: "auto" }, {})).toThrow(/exclude each other/);
});

test("T14 an empty or unset $SHELL is bash; a shell that was chosen must be there", () => {
  const programs = mkdtempSync(join(folder, "bin-"));
  const bash = join(programs, "bash");
  writeFileSync(bash, "#!/bin/sh\n");
  chmodSync(bash, 0o755);
  const shellFor = (environment: NodeJS.ProcessEnv, flags: StartFlags = {}) => {
    const all = { cwd: folder, config, ...flags };
    const around = { PATH: programs, ...environment };
    return resolveOptions(all, around, loadStartConfiguration(all, around)).shell;
  };
  expect(shellFor({})).toBe(bash);
  expect(shellFor({ SHELL: "" })).toBe(bash);
  expect(shellFor({ SHELL: "/bin/sh" })).toBe("/bin/sh");
  expect(shellFor({ SHELL: "" }, { shell: "/bin/sh" })).toBe("/bin/sh");
  expect(() => shellFor({}, { shell: "/no/such/shell" })).toThrow(/no\/such\/shell/);
});
