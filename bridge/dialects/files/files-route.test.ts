// Files over HTTP, with fake callers: who may upload, the answers, and the audit log.

import { expect, test } from "vitest";
import { served } from "../../../test/support/served.ts";
import { MAX_FILE_BYTES } from "../../../protocol/limits.ts";
import { HTTP_RECORD_BYTES } from "../../../protocol/sealed/http-records.ts";
import { callerWith, createGrant } from "../../../test/support/caller.ts";
import type { AuditEntry } from "../../audit/audit-log.ts";
import type { IncomingFile } from "../../files/file-receiver.ts";
import { PeopleTerminals } from "../../people/people-terminals.ts";
import { filesRoute } from "./files-route.ts";

function world(maxBytes = 100) {
  const audited: AuditEntry[] = [];
  const got: IncomingFile[] = [];
  const route = filesRoute({
    files: {
      maxBytes,
      receive: async (sent) => {
        got.push(sent);
        return { ok: true, name: "x", path: "/tmp/x", size: 1 };
      },
    },
    people: { denialReason: (caller, act) => PeopleTerminals.prototype.denialReason(caller, act) },
    audit: { write: (entry) => void audited.push(entry) },
  });
  return { audited, got, route, ask: served(route) };
}

test("FI5 an edit link sends files; view links and agents are refused before anything is read", async () => {
  const { ask, got, audited } = world();
  const post = { method: "POST", body: "1" };
  for (const role of ["view", "agent"] as const) {
    expect((await ask(role, "/files?name=x", post)).status).toBe(403);
    expect((await ask(role, "/files")).status).toBe(403);
  }
  expect(got).toEqual([]);
  const taken = await ask("edit", "/files?name=x&size=1&terminal=pty-abcdef", post);
  expect(taken.status).toBe(201);
  expect(await taken.json()).toEqual({ name: "x", path: "/tmp/x", size: 1 });
  expect(audited).toMatchObject([
    { event: "file received", grant: "g", terminal: "pty-abcdef", outcome: "/tmp/x" },
  ]);
  expect(await (await ask("edit", "/files")).json()).toEqual({ mostBytes: 100 });
});

test("FI5 what is not asked for in this way is answered with what is", async () => {
  const { ask, got } = world();
  const status = async (path: string, method = "POST") =>
    (await ask("edit", path, { method })).status;
  expect(await status("/files")).toBe(400);
  expect(await status("/files?name=")).toBe(400);
  expect(await status("/files?name=x&size=-1")).toBe(400);
  expect(await status("/files?name=x&size=lots")).toBe(400);
  expect(await status("/files/x?name=x")).toBe(404);
  expect(await status("/files?name=x", "DELETE")).toBe(405);
  expect(got).toEqual([]);
});

test("SE74 of the largest upload a sealed room leaves what its records add", async () => {
  const { route } = world(MAX_FILE_BYTES);
  const base = callerWith(createGrant("g", { role: "edit" }), "http");
  const caller = { ...base, door: { ...base.door, proof: "session" as const } };
  const { mostBytes } = await (await route.serve(caller, new Request("http://x/files"))).json();
  // Preface, a head of a full record, and 20 bytes for each record with the empty last one.
  const records = Math.ceil(mostBytes / HTTP_RECORD_BYTES) + 2;
  const sealed = 24 + HTTP_RECORD_BYTES + mostBytes + 20 * records;
  expect(sealed).toBeLessThanOrEqual(MAX_FILE_BYTES);
  expect(sealed).toBeGreaterThan(MAX_FILE_BYTES - HTTP_RECORD_BYTES);
});
