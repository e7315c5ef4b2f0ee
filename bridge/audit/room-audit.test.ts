// The audit lines about a terminal's changes: the event, the person and the new value.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import { TerminalSharing } from "../people/terminal-sharing.ts";
import { PeopleTerminals } from "../people/people-terminals.ts";
import { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { AuditEntry } from "./audit-log.ts";
import { AuditLog } from "./audit-log.ts";
import { auditRoom } from "./room-audit.ts";

const TYPIST = createGrant("typist0000", { scopes: ["read", "type"], label: "pi" });
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let terminal: PoolTerminal;
let pool: TerminalPool;
let people: PeopleTerminals;
let openness: TerminalSharing;
let written: () => unknown[];
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "pp-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "audit.log");
  const audit = new AuditLog(path, () => {});
  terminal = poolTerminal();
  pool = new TerminalPool({ folder: "/", shell: "/bin/sh", environment: {}, log });
  people = new PeopleTerminals(pool);
  openness = new TerminalSharing({
    pool,
    people,
    viewers: { findByCaller: () => undefined, detachMatching: () => {}, pinSize: () => {} },
    hub: { broadcast: () => {} },
    grants: { list: () => [TYPIST] },
  });
  onTestFinished(auditRoom(audit, pool, { onEvent: () => () => {} }));
  written = () =>
    readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const { at: _at, ...entry } = JSON.parse(line);
        return entry;
      });
});

test("S29 a person's act on a terminal is written with what it was, who did it and the new value", () => {
  const ada = callerWith(createGrant("ada0000000", { role: "edit", label: "team" }), "people");
  ada.status = { name: "Ada" };
  const person = { grant: "ada0000000", label: "Ada (team)", terminal: terminal.id };
  const by = { label: "team", name: "Ada", door: "people" };
  people.rename(ada, terminal, "web server");
  openness.pin(ada, terminal, true, { cols: 100, rows: 30 });
  openness.letAgentsType(ada, terminal, true);
  openness.setPrivate(ada, terminal, true);
  openness.setPrivate(ada, terminal, false);
  openness.pin(ada, terminal, false);
  people.rename(ada, terminal, "");
  expect(written()).toEqual([
    { event: "terminal renamed", ...person, arguments: { name: "web server", by } },
    { event: "terminal pinned", ...person, arguments: { size: "100x30", by } },
    { event: "terminal lets agents type", ...person, arguments: { agents: ["pi"], by } },
    { event: "terminal lets no agent type", ...person, arguments: { by } },
    { event: "terminal made private", ...person, arguments: { by } },
    { event: "terminal made visible", ...person, arguments: { by } },
    { event: "terminal unpinned", ...person, arguments: { by } },
    { event: "terminal got its own name back", ...person, arguments: { by } },
  ]);
});

test("S29 what changes nothing has no line, what no one did names no one, and no secret is written", () => {
  const verb = callerWith(
    createGrant("thismachin", { role: "edit", label: "command line" }),
    "control",
  );
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  people.rename(verb, terminal, `key ${secret}`);
  people.rename(verb, terminal, `key ${secret}`);
  openness.pin(verb, terminal, false);
  // Stepping in writes its own line.
  pool.updateMeta(terminal, { steppedIn: { since: 0, grant: "g", label: "Ada", peer: 1 } });
  pool.updateMeta(terminal, { conversation: { id: "c1", limit: 1 } });
  expect(written()).toEqual([
    expect.objectContaining({
      event: "terminal renamed",
      label: "command line",
      arguments: {
        name: expect.stringMatching(/^key /),
        by: { label: "command line", door: "control" },
      },
    }),
    { event: "terminal changed", terminal: terminal.id, arguments: { what: "conversation" } },
  ]);
  expect(JSON.stringify(written())).not.toContain(secret);
});

test("S30 that an agent's terminal opened or closed is written with that agent's label, not so a user's", () => {
  const entries: AuditEntry[] = [];
  let emit: Parameters<TerminalPool["onEvent"]>[0] = () => {};
  const roomEvents = {
    onEvent: (listener: typeof emit) => {
      emit = listener;
      return () => {};
    },
    onChange: () => () => {},
  };
  const stop = auditRoom({ write: (entry) => void entries.push(entry) }, roomEvents, {
    onEvent: () => () => {},
  });
  const one = { id: "pty-1", cwd: "/", visible: true, createdAt: 0, startedBy: "pi" };
  emit({ type: "terminal", event: "created", terminal: { ...one, owner: "agent" } });
  emit({ type: "terminal", event: "closed", terminal: { ...one, owner: "user" } });
  stop();
  expect(entries.map(({ event, label }) => [event, label])).toEqual([
    ["terminal created", "pi"],
    ["terminal closed", undefined],
  ]);
});
