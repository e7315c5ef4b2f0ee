// workerd's configuration, and the errors on machines that cannot run it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { findWorkerdProblem } from "./binary.ts";
import type { RelayPlan } from "./workerd-config.ts";
import { formatRelayConfig } from "./workerd-config.ts";
import { awaitPort, findFreePort } from "./free-port.ts";
import { anyCharacter } from "../../test/support/any-character.ts";

const folder = mkdtempSync(join(tmpdir(), "pp-workerd-"));
afterAll(() => rmSync(folder, { recursive: true }));

const plan: RelayPlan = {
  host: "127.0.0.1",
  port: 8080,
  web: "/srv/web",
  data: "/srv/rooms",
  loopback: false,
  allowedOrigins: ["https://a.example", "https://b.example"],
};

test("N10 the configuration has the date, the flags, the class and the variables of wrangler.toml", () => {
  const deployed = readFileSync("wrangler.toml", "utf8");
  const config = formatRelayConfig(plan);
  const date = /compatibility_date = (".*")/.exec(deployed)?.[1];
  const flags = /compatibility_flags = (\[.*\])/.exec(deployed)?.[1];
  expect(config).toContain(`compatibilityDate = ${date},`);
  expect(config).toContain(`compatibilityFlags = ${flags},`);
  for (const name of ["WORKSPACE", "WorkspaceRoom", "RELAY_KEY", "ALLOWED_ORIGINS"]) {
    expect(deployed).toContain(name);
    expect(config).toContain(`"${name}"`);
  }
  expect(config).not.toContain("LOOPBACK_PORT");
  expect(formatRelayConfig({ ...plan, loopback: true })).not.toMatch(/RELAY_KEY|ALLOWED_ORIGINS/);
});

test("N10 an IPv6 address is written with brackets", () => {
  expect(formatRelayConfig({ ...plan, host: "::1" })).toContain('address = "[::1]:8080"');
});

test("N10 whatever a folder is called, it stays one string", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (web) => {
      const line = formatRelayConfig({ ...plan, web }).split("\n")[4] ?? "";
      const quoted = /disk = \(path = "(.*)", writable = false\)\),$/.exec(line)?.[1] ?? "";
      expect(quoted).not.toMatch(/["\n]/);
      const back = quoted.replaceAll(/\\x([\da-f]{2})/g, (_all, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      expect(back).toBe(web);
    }),
  );
});

test.each([
  [
    "an old glibc",
    '#!/bin/sh\necho "workerd: /lib/libc.so.6: version \\`GLIBC_2.35\' not found" >&2; exit 1\n',
    "workerd needs glibc 2.35 or newer, and this system's is older",
  ],
  [
    "another C library",
    "#!/lib/ld-linux-not-there.so.2\n",
    "workerd needs glibc 2.35 or newer, and this system has another C library",
  ],
  ["anything else", "#!/bin/sh\necho broken >&2; exit 7\n", "workerd does not run here: broken"],
  ["nothing wrong", "#!/bin/sh\necho workerd 2026-04-26\n", undefined],
])("N4 %s is told in one sentence", (name, script, sentence) => {
  const path = join(folder, name.replaceAll(" ", "-"));
  writeFileSync(path, script, { mode: 0o755 });
  expect(findWorkerdProblem(path)).toBe(sentence);
});

test("E6 a port that is let go of meanwhile is had; one that is kept is not", async () => {
  const port = await findFreePort();
  const holder = createServer();
  await new Promise<void>((resolve) => void holder.listen(port, "127.0.0.1", resolve));
  expect(await awaitPort(port, 0)).toBeUndefined();
  const waiting = awaitPort(port, 30_000);
  // By now it found the port taken or free: both must work.
  setImmediate(() => holder.close());
  expect(await waiting).toBe(port);
});
