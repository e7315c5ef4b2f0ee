// Recordings over HTTP, with fake callers.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { served } from "../../../test/support/served.ts";
import { recordingsRoute } from "./recordings-route.ts";

const root = mkdtempSync(join(tmpdir(), "pp-rec-"));
afterAll(() => rmSync(root, { recursive: true }));

test("RE9 RE29 the list, a file and its removal are for edit links; agents and viewers get 403", async () => {
  const path = join(root, "x.cast");
  writeFileSync(path, "a cast");
  const removed: string[] = [];
  const request = served(
    recordingsRoute({
      list: () => [{ id: "x", title: "t", startedAt: 1, seconds: 2, bytes: 3 }],
      find: (id) => (id === "x" ? path : undefined),
      remove: (_caller, id) => void removed.push(id),
    }),
  );
  const ask = (role: "edit" | "view" | "agent", name: string, method = "GET") =>
    request(role, `/recordings${name}`, { method });
  for (const role of ["view", "agent"] as const) {
    for (const name of ["", "/x"]) expect((await ask(role, name)).status).toBe(403);
    expect((await ask(role, "/x", "DELETE")).status).toBe(403);
  }
  expect(await (await ask("edit", "")).json()).toMatchObject([{ id: "x" }]);
  const file = await ask("edit", "/x");
  expect(await file.text()).toBe("a cast");
  expect(file.headers.get("content-disposition")).toContain("pairpty-x.cast");
  const whole = await ask("edit", "/x");
  expect(whole.headers.get("content-length")).toBe(String((await whole.arrayBuffer()).byteLength));
  expect((await ask("edit", "/y")).status).toBe(404);
  const wrong = await ask("edit", "/x", "POST");
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, DELETE"]);
  expect((await ask("edit", "", "DELETE")).status).toBe(405);
  expect(removed).toEqual([]);
  expect((await ask("edit", "/x", "DELETE")).status).toBe(204);
  expect(removed).toEqual(["x"]);
});
