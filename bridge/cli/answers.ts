// Owns a running bridge's answers to the command line's verbs.

import type { ControlAnswers, ControlRequest, GrantRow, Ready } from "../control/requests.ts";
import { ExitCode, UserError } from "../errors.ts";
import type { Grant } from "../grants/table.ts";
import type { Session } from "../session.ts";
import { say } from "./output.ts";
import { pageLink } from "./ready.ts";
import { statusOf } from "./status.ts";

export interface Running {
  readonly session: Session;
  readonly ready: Ready;
  readonly folder: string;
  /** It was started in a window, where what must not be seen by others can be shown. */
  readonly hasWindow: boolean;
}

export function answerFor(
  request: ControlRequest,
  running: Running,
): ControlAnswers[keyof ControlAnswers] | Promise<ControlAnswers[keyof ControlAnswers]> {
  const { session } = running;
  switch (request.verb) {
    case "ready":
      return readyOf(running);
    case "terminals":
      return session.pool.list();
    case "grants":
      return session.grants.list().map(toRow);
    case "revoke":
      return { revoked: session.grants.revoke(request.id) };
    case "share":
      return share(request, running);
    case "status":
      return statusOf(running);
    case "spawn":
      return spawn(request, running);
    case "close":
      return close(request.id, running);
    case "stop":
      // As a signal would, once this has been answered.
      setImmediate(() => process.kill(process.pid, "SIGTERM"));
      return { stopping: true };
  }
}

/** Links are told once they work [G5]. */
async function untilLinksWork({ session }: Running): Promise<void> {
  const problem = await session.linked;
  if (problem !== undefined && !session.hasLinked) throw problem;
}

async function readyOf(running: Running): Promise<Ready> {
  const { session, ready } = running;
  await untilLinksWork(running);
  // Whoever runs as the user can ask: who did cannot be told, but that somebody did.
  session.audit.write({ event: "links told", label: "this machine" });
  return ready;
}

async function spawn(
  request: Extract<ControlRequest, { verb: "spawn" }>,
  { session }: Running,
): Promise<ControlAnswers["spawn"]> {
  const { cwd, command, environment, cols, rows } = request;
  const wish = { cwd, cols, rows, ...(command === undefined ? {} : { command }) };
  const spawner = { owner: "user", visible: true, environment } as const;
  const result = await session.pool.spawn(wish, spawner);
  if (result.ok) return result.terminal;
  throw new UserError(result.error, ExitCode.usage);
}

async function close(id: string, { session }: Running): Promise<ControlAnswers["close"]> {
  const terminal = session.pool.get(id);
  if (terminal === undefined) return { closed: false };
  await session.pool.close(terminal, "asked at the command line");
  return { closed: true };
}

export async function share(
  request: Extract<ControlRequest, { verb: "share" }>,
  running: Running,
): Promise<ControlAnswers["share"]> {
  const { session, ready, hasWindow } = running;
  if (request.quietly && !hasWindow) {
    throw new UserError(
      "this terminal is shared, and pairpty runs in the background: there is no window to show the token in",
      ExitCode.usage,
      "Ask again in a window of your own, outside pairpty's terminals.",
    );
  }
  await untilLinksWork(running);
  const { role, scopes, label, expiresInMs } = request;
  const expiresAt = Date.now() + expiresInMs;
  const { grant, token } = session.grants.mint({ role, scopes, label, expiresAt, session: false });
  // Whoever gets it may use it at once.
  await session.bridge.confirmed();
  const link = role === "agent" ? undefined : pageLink(session.address, ready.workspace, token);
  if (!request.quietly) {
    return { grant: toRow(grant), token, ...(link === undefined ? {} : { link }) };
  }
  // Whatever runs inside a shared terminal is seen by everyone in it, agents too.
  say(`\n  Asked for from inside a shared terminal, a grant (${role}):\n  ${link ?? token}\n`);
  return { grant: toRow(grant) };
}

function toRow({ id, role, scopes, label, expiresAt, session }: Grant): GrantRow {
  return { id, role, scopes, label, expiresAt, session };
}
