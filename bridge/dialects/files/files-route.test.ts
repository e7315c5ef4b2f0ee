// Files over HTTP, with fake callers: who may upload, the answers, and the audit log.

import { expect, test } from "vitest";
import { served } from "../../../test/support/served.ts";
import type { AuditEntry } from "../../audit/audit-log.ts";
import type { IncomingFile } from "../../files/file-receiver.ts";
import { PeopleTerminals } from "../../people/people-terminals.ts";
import { filesRoute } from "./files-route.ts";

function world() {
  const audited: AuditEntry[] = [];
  const got: IncomingFile[] = [];
  const route = filesRoute({
    files: {
      maxBytes: 100,
      receive: async (sent) => {
        got.push(sent);
        return { ok: true, name: "x", path: "/tmp/x", size: 1 };
      },
    },
    people: { denialReason: (caller, act) => PeopleTerminals.prototype.denialReason(caller, act) },
    audit: { write: (entry) => void audited.push(entry) },
  });
  return { audited, got, ask: served(route) };
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
