// `pairpty doctor`: what it looks at, what it says, and what it leaves behind.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newToken } from "../support/credentials.ts";
import { askRelay } from "../support/http.ts";
import { listProcesses } from "../support/processes.ts";
import { Place } from "../support/product.ts";

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

async function examine(place: Place) {
  const { code, stdout } = await place.run(["doctor", "--json"]);
  return { code, ...rowsIn(stdout) };
}

function rowsIn(stdout: string) {
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Row[] };
  const row = (name: string) => checks.find(({ check }) => check === name);
  return { ok, checks, row };
}

/** A program of this name that does this, found before all others. */
function fakeProgram(place: Place, name: string, script: string): void {
  const folder = join(place.root, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  place.environment["PATH"] = `${folder}:${process.env["PATH"]}`;
}

test("O9 O11 O22 the doctor looks at everything, starts a host, a shell and a relay, gives up tools that hang, and leaves nothing", async () => {
  const { place, temporary } = makePlace();
  await using _ = place;
  for (const name of ["docker", "podman", "bwrap"]) fakeProgram(place, name, "exec sleep 1000");
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
    "encryption",
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
  expect(row("containers")?.message).toContain(
    "podman does not work here: it did not answer; docker does not work here: it did not answer",
  );
  expect(row("sandbox")).toMatchObject({ status: "warn" });
  expect(readdirSync(temporary)).toEqual([]);
  expect(listProcesses(place.root)).toEqual([]);
});

test("O10 O21 O22 O23 inside a terminal of this folder's bridge it tells of its link, its port and the relay's clock; from elsewhere it knocks at that relay, claims nothing there, and tells a wrong setting with exit code 5", async () => {
  const { place } = makePlace();
  await using _ = place;
  // What containers cost is tried in the test above, and in test/isolation/.
  for (const name of ["docker", "podman"]) fakeProgram(place, name, "exit 1");
  const product = await place.start();
  const out = join(place.root, "out");
  const line = `'${process.execPath}' '${CLI}' doctor --json > '${out}'`;
  await product.open({ command: ["/bin/sh", "-c", line] });
  await product.event("terminal_closed");
  const { ok, row } = rowsIn(readFileSync(out, "utf8"));
  expect(ok).toBe(true);
  expect(row("link")?.message).toContain(`up, ${product.ready.relay}`);
  expect(row("port")?.message).toContain("this folder's relay");
  expect(row("clock")?.message).toMatch(/^\d+\.\d s off the relay's clock$/);
  expect((await product.http("/health")).status).toBe(200);

  const { place: elsewhere } = makePlace({ PAIRPTY_PORT: "many" });
  await using __ = elsewhere;
  for (const name of ["docker", "podman"]) fakeProgram(elsewhere, name, "exit 1");
  const { relay } = product.ready;
  const { code, stdout } = await elsewhere.run(["doctor", "--relay", relay]);
  expect(code).toBe(5);
  expect(stdout).toMatch(/^\[FAIL\] config .*\n(?: +[^→\s].*\n)* +→ /m);
  expect(stdout).toMatch(/^\[ OK \] pty spawn +a shell ran/m);
  expect(stdout).toMatch(/^\[(WARN|FAIL| OK )\] sandbox/m);
  expect(stdout).toMatch(/^\[ OK \] link .*answers in/m);
  expect(stdout).toMatch(/^\[ OK \] clock .*off the relay's/m);
  expect(stdout).toMatch(/^\[ OK \] port +none is needed/m);
  const headers = { authorization: `Bearer ${newToken("edit").token}` };
  expect((await askRelay(`${relay}/w/pairpty-doctor/pty`, { headers })).status).toBe(404);
});
