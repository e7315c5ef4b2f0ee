// `pairpty doctor`: what it looks at, what it says, and what it leaves behind.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newToken } from "../support/credentials.ts";
import { processesOf } from "../support/processes.ts";
import { Place } from "../support/product.ts";
import { TestRelay } from "../support/relay.ts";

const CLI = join(import.meta.dirname, "../../dist/bridge/cli.js");

interface Row {
  check: string;
  status: "ok" | "warn" | "fail";
  message: string;
  cure?: string;
}

const NO_PROXIES = Object.fromEntries(
  ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].map(
    (name) => [name, ""],
  ),
);

/** With a temporary folder of its own, to see what is left in it. */
function makePlace(extra: NodeJS.ProcessEnv = {}): { place: Place; temporary: string } {
  const place = new Place({ ...NO_PROXIES, ...extra });
  const temporary = join(place.root, "tmp");
  mkdirSync(temporary);
  place.environment["TMPDIR"] = temporary;
  return { place, temporary };
}

async function examine(place: Place, ...args: string[]) {
  const { code, stdout } = await place.run(["doctor", "--json", ...args]);
  const { checks, ...rest } = JSON.parse(stdout) as { ok: boolean; checks: Row[] };
  const row = (name: string) => checks.find(({ check }) => check === name);
  return { code, stdout, checks, row, ...rest };
}

/** A program of this name that does this, found before all others. */
function fakeProgram(place: Place, name: string, script: string): void {
  const folder = join(place.root, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  place.environment["PATH"] = `${folder}:${process.env["PATH"]}`;
}

test("O9 the doctor looks at everything, starts a host, a shell and a relay, and leaves nothing", async () => {
  const { place, temporary } = makePlace();
  await using _ = place;
  const { code, checks, ok, row } = await examine(place);
  expect([code, ok]).toEqual([0, true]);
  expect(checks.map(({ check }) => check)).toEqual([
    "versions",
    "node",
    "system",
    "config",
    "folders",
    "disk",
    "pty host",
    "pty spawn",
    "embedded relay",
    "port",
    "link",
    "tunnel",
    "proxy",
    "authorities",
    "clock",
    "browser",
    "sandbox",
    "containers",
    "limits",
  ]);
  for (const name of ["pty host", "pty spawn", "embedded relay"]) {
    expect(row(name)?.status, name).toBe("ok");
  }
  for (const { check, status, cure } of checks) {
    if (status !== "ok") expect(cure, check).toMatch(/\S/);
  }
  expect(readdirSync(temporary)).toEqual([]);
  expect(processesOf(place.root)).toEqual([]);
});

test("O9 with a bridge in the folder it tells of its link, its port and the relay's clock, also inside its terminals", async () => {
  const { place } = makePlace();
  await using _ = place;
  const product = await place.start();
  const { row, code } = await examine(place);
  expect(code).toBe(0);
  expect(row("link")?.message).toContain(`up, ${product.ready.relay}`);
  expect(row("port")?.message).toContain("this folder's relay");
  expect(row("clock")?.message).toMatch(/^\d+\.\d s off the relay's$/);
  const out = join(place.root, "out");
  const line = `'${process.execPath}' '${CLI}' doctor --json > '${out}'`;
  await product.open({ command: ["/bin/sh", "-c", line] });
  await product.event("terminal_closed");
  const inside = JSON.parse(readFileSync(out, "utf8"));
  expect(inside.ok).toBe(true);
  expect((await product.http("/health")).status).toBe(200);
});

test("O10 what cannot work fails with its cure and exit code 5, without a password", async () => {
  const { place } = makePlace({ HTTPS_PROXY: "http://ann:hunter22@127.0.0.1:9" });
  await using _ = place;
  place.environment["SSL_CERT_FILE"] = join(place.root, "none.pem");
  const { code, ok, row, stdout } = await examine(place, "--relay", "https://relay.example");
  expect([code, ok]).toEqual([5, false]);
  expect(row("link")).toMatchObject({
    status: "fail",
    message: expect.stringContaining("the proxy http://127.0.0.1:9 cannot be reached"),
    cure: expect.stringContaining("NO_PROXY=relay.example"),
  });
  expect(row("proxy")?.message).toBe("http://127.0.0.1:9 to https://relay.example");
  expect(row("authorities")?.status).toBe("warn");
  expect(stdout).not.toContain("hunter22");
  expect((await place.run(["doctor", "--relay", "https://relay.example"])).stdout).toMatch(
    /^\[FAIL\] link .*\n +→ /m,
  );
});

test("O10 a relay elsewhere is knocked at, with its clock, and nothing is claimed there", async () => {
  const relay = await TestRelay.start();
  const { place } = makePlace();
  await using _ = place;
  const { row, code } = await examine(place, "--relay", `http://${relay.host}`);
  expect([code, row("link")?.message]).toEqual([0, expect.stringContaining("answers in")]);
  expect(row("clock")?.message).toContain("off the relay's");
  expect(row("port")?.message).toContain("none is needed");
  const { token } = newToken("edit");
  expect((await relay.ask("/w/pairpty-doctor/pty", { token })).status).toBe(404);
  await relay.stop();
});

test("O10 a wrong setting is told", async () => {
  const { place } = makePlace();
  await using _ = place;
  const wrong = await place.run(["doctor"], { PAIRPTY_PORT: "many" });
  expect([wrong.code, wrong.stdout]).toEqual([5, expect.stringMatching(/\[FAIL\] config/)]);
  expect(wrong.stdout).toMatch(/^\[ OK \] pty spawn +a shell ran/m);
  expect(wrong.stdout).toMatch(/^\[(WARN|FAIL| OK )\] sandbox/m);
});

test("O11 tools that hang are given up, and their processes ended", async () => {
  const { place } = makePlace();
  await using _ = place;
  for (const name of ["docker", "podman", "bwrap"]) fakeProgram(place, name, "exec sleep 1000");
  const { row, code } = await examine(place);
  expect(code).toBe(0);
  expect(row("containers")?.message).toContain(
    "podman does not work here: it does not answer; docker does not work here: it does not answer",
  );
  expect(row("sandbox")).toMatchObject({ status: "warn" });
  expect(processesOf(place.root)).toEqual([]);
});
