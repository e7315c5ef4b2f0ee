// Owns a running bridge's answers to the command line's verbs.

import type { Caller } from "../../callers/caller.ts";
import type {
  ControlAnswers,
  ControlRequest,
  GrantRow,
  Ready,
} from "../../doors/control/requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { Grant } from "../../grants/table.ts";
import type { BridgeRun } from "../../run/run.ts";
import { say } from "../output/output.ts";
import { pageLink } from "./ready.ts";
import { statusOf } from "./status.ts";

export interface Running {
  readonly run: BridgeRun;
  readonly ready: Ready;
  readonly folder: string;
  /** It was started in a window, where what must not be seen by others can be shown. */
  readonly hasWindow: boolean;
}

export function answerFor(
  caller: Caller,
  request: ControlRequest,
  running: Running,
): ControlAnswers[keyof ControlAnswers] | Promise<ControlAnswers[keyof ControlAnswers]> {
  const { run } = running;
  switch (request.verb) {
    case "ready":
      return readyOf(running);
    case "terminals":
      return run.room.people.list(caller);
    case "grants":
      return run.grants.list().map(toRow);
    case "revoke":
      return { revoked: run.grants.revoke(request.id) };
    case "share":
      return share(request, running);
    case "status":
      return statusOf(caller, running);
    case "spawn":
      return spawn(caller, request, running);
    case "close":
      return close(caller, request.id, running);
    case "stop":
      // As a signal would, once this has been answered.
      setImmediate(() => process.kill(process.pid, "SIGTERM"));
      return { stopping: true };
  }
}

/** Links are told once they work [G5]. */
async function untilLinksWork({ run }: Running): Promise<void> {
  const problem = await run.linked;
  if (problem !== undefined && !run.hasLinked) throw problem;
}

async function readyOf(running: Running): Promise<Ready> {
  const { run, ready } = running;
  await untilLinksWork(running);
  // Whoever runs as the user can ask: who did cannot be told, but that somebody did.
  run.audit.write({ event: "links told", label: "this machine" });
  return ready;
}

async function spawn(
  caller: Caller,
  request: Extract<ControlRequest, { verb: "spawn" }>,
  { run }: Running,
): Promise<ControlAnswers["spawn"]> {
  const { cwd, command, environment, cols, rows } = request;
  const wish = { cwd, cols, rows, ...(command === undefined ? {} : { command }) };
  const result = await run.room.people.open(caller, { ...wish, environment });
  if (result.ok) return result.terminal;
  throw new UserError(result.error, ExitCode.usage);
}

async function close(
  caller: Caller,
  id: string,
  { run }: Running,
): Promise<ControlAnswers["close"]> {
  const terminal = run.room.people.find(caller, id);
  if (terminal === undefined) return { closed: false };
  await run.room.people.close(caller, terminal);
  return { closed: true };
}

export async function share(
  request: Extract<ControlRequest, { verb: "share" }>,
  running: Running,
): Promise<ControlAnswers["share"]> {
  const { run, ready, hasWindow } = running;
  if (request.quietly && !hasWindow) {
    throw new UserError(
      "pairpty runs in the background: it has no window of your own to show the token in",
      ExitCode.usage,
      "Run this in a window of your own, outside pairpty's terminals.",
    );
  }
  await untilLinksWork(running);
  const { verb: _verb, quietly, expiresInMs, ...wish } = request;
  const { role } = wish;
  const expiresAt = Date.now() + expiresInMs;
  const { grant, token } = run.grants.mint({ ...wish, expiresAt, session: false });
  // Whoever gets it may use it at once.
  await run.link.confirmed();
  const link = role === "agent" ? undefined : pageLink(run.address, ready.workspace, token);
  if (!quietly) {
    return { grant: toRow(grant), token, ...(link === undefined ? {} : { link }) };
  }
  // Whatever runs inside a shared terminal is seen by everyone in it, agents too.
  const what = `${role} ${link === undefined ? "token" : "link"}`;
  say(`\n  New ${what}, asked for inside a shared terminal:\n  ${link ?? token}\n`);
  return { grant: toRow(grant) };
}

function toRow({ hash: _hash, connection: _connection, local: _local, ...row }: Grant): GrantRow {
  return row;
}
