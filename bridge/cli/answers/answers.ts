// Answers the control requests of the command line in a running bridge.

import type { Isolation } from "../../../protocol/isolation.ts";
import { thickest } from "../../../protocol/isolation.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import type { Caller } from "../../callers/caller.ts";
import type {
  ControlAnswers,
  ControlRequest,
  GrantRow,
  Ready,
  ReadyTold,
} from "../../doors/control/requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { Grant } from "../../grants/table.ts";
import { sentences } from "../../providers/ability.ts";
import type { BridgeRun } from "../../run/run.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import { describe } from "../../terminals/terminal.ts";
import { say } from "../output/output.ts";
import { admitted, checkRights, peopleRows, setRights, turnAway } from "./people.ts";
import { record, recordingRows } from "./recordings.ts";
import { pageLink } from "./ready.ts";
import { statusOf, unsavedNow } from "./status.ts";
import { checkHostKnows, endRule, revoke, stop } from "./taking-away.ts";

export interface Running {
  readonly run: BridgeRun;
  /** The current addresses: a tunnel's may change. */
  readonly ready: Ready;
  readonly folder: string;
  /** Whether the bridge has its own window, where secrets can be shown. */
  readonly hasWindow: boolean;
}

export function answerFor(
  caller: Caller,
  request: ControlRequest,
  running: Running,
): ControlAnswers[keyof ControlAnswers] | Promise<ControlAnswers[keyof ControlAnswers]> {
  const { run } = running;
  // Checked first: no code would change these errors.
  if (request.verb === "rights") checkRights(caller, request, running);
  if (request.verb === "answer") checkOpen(request.id, running);
  const widening = wideningOf(request);
  const question = request.verb === "answer" ? request.id : undefined;
  if (widening !== undefined) checkCode(running, widening.code, question);
  switch (request.verb) {
    case "ready":
      return readyOf(running, request.code);
    case "terminals":
      return run.room.people.list(caller);
    case "grants":
      return run.grants.list().map(toRow);
    case "revoke":
      return revoke(request.id, run);
    case "approvals":
      return run.room.approvals.open();
    case "answer":
      return answerApproval(request, running);
    case "rules":
      return run.room.approvals.rules();
    case "endRule":
      return endRule(request.id, run);
    case "share":
      return share(request, running);
    case "status":
      return statusOf(caller, running);
    case "spawn":
      return spawn(caller, request, running);
    case "close":
      return close(caller, request.id, running);
    case "agents-type":
      return letAgentsType(caller, request, running);
    case "pin":
      return actOn(caller, request.id, running, (terminal, { openness }) =>
        openness.pin(caller, terminal, request.on, request),
      );
    case "rename":
      return actOn(caller, request.id, running, (terminal, { people }) =>
        people.rename(caller, terminal, request.name),
      );
    case "record":
      return record(caller, request, running);
    case "recordings":
      return recordingRows(running);
    case "people":
      return peopleRows(running);
    case "admit":
      return admitted(run.room.hosting.admit(caller, request.who));
    case "turn-away":
      return turnAway(caller, request, running);
    case "rights":
      return setRights(caller, request, running);
    case "unsaved":
      return unsavedNow(run);
    case "needs-code":
      return { needed: run.widening.hasAgentCalled };
    case "stop":
      return stop(run);
  }
}

/** Returns the request if it widens access, else undefined. */
function wideningOf(request: ControlRequest): { readonly code?: string | undefined } | undefined {
  switch (request.verb) {
    case "share":
      return request;
    case "agents-type":
      return request.on ? request : undefined;
    case "answer":
      return request.answer === "deny" ? undefined : request;
    case "admit":
      return request;
    case "rights":
      return request.role === "edit" ? request : undefined;
    // Answers without the Edit link unless the code is given.
    case "ready":
    case "status":
    case "terminals":
    case "grants":
    case "revoke":
    case "approvals":
    case "rules":
    case "endRule":
    case "pin":
    case "rename":
    case "people":
    // A process that can open this socket can also attach and keep the output.
    case "record":
    case "recordings":
    case "turn-away":
    case "unsaved":
    case "needs-code":
    // A process of the user can start, use and end its own terminals without pairpty.
    case "spawn":
    case "close":
    case "stop":
      return undefined;
  }
}

/** Throws if the code is missing or wrong. `question`: the approval that the request would allow. */
function checkCode({ run }: Running, code: string | undefined, question?: string): void {
  const refusal = run.widening.whyNot(code, question !== undefined);
  if (refusal === undefined) return;
  const isAsked = question !== undefined && refusal.why === "needed";
  const how = isAsked ? `\`pairpty approve ${question} --code\` asks for the code. ` : "";
  throw new UserError(refusal.error, ExitCode.usage, `${how}${refusal.hint}`);
}

/** Resolves when links work, so that none is shown before [G5]. */
async function untilLinksWork({ run }: Running): Promise<void> {
  const problem = await run.linked;
  if (problem !== undefined && !run.hasLinked) throw problem;
}

async function readyOf(running: Running, code: string | undefined): Promise<ReadyTold> {
  const { run, ready } = running;
  if (code !== undefined) checkCode(running, code);
  await untilLinksWork(running);
  const isWhole = code !== undefined || run.widening.whyNot(undefined) === undefined;
  // Any process of the user can request the links; the audit log records that one did.
  const outcome = isWhole ? {} : { outcome: "view link only" };
  run.audit.write({ event: "links told", label: "this machine", ...outcome });
  const { own, ...others } = ready;
  const told = { ...others, isolation: run.walls.floor };
  if (isWhole) return { ...told, own };
  const { links, tokens, local } = ready;
  const view = { links: { view: links.view }, tokens: { view: tokens.view } };
  if (local === undefined) return { ...told, ...view };
  return { ...told, ...view, local: { ...local, links: { view: local.links.view } } };
}

function checkOpen(id: string, { run }: Running): void {
  const why = run.room.approvals.whyNotOpen(id);
  if (why !== undefined) throw notOpen(why);
}

function notOpen(why: string): UserError {
  return new UserError(why, ExitCode.usage, "`pairpty approvals` lists the open ones.");
}

function answerApproval(
  { id, answer, reason }: Extract<ControlRequest, { verb: "answer" }>,
  { run }: Running,
): ControlAnswers["answer"] {
  const by = { label: "the command line", door: "control" };
  const answered = run.room.approvals.answer(id, answer, by, reason);
  if (!answered.ok) throw notOpen(answered.error);
  if (answered.notSaved === undefined) return { id, answer };
  const { message, exitCode, hint } = answered.notSaved;
  throw new UserError(`Allowed ${id} once, but ${message}`, exitCode, hint);
}

async function spawn(
  caller: Caller,
  request: Extract<ControlRequest, { verb: "spawn" }>,
  { run }: Running,
): Promise<ControlAnswers["spawn"]> {
  const { cwd, command, environment, cols, rows, private: isPrivate } = request;
  const asked = { cwd, cols, rows, private: isPrivate };
  const wish = { ...asked, ...(command === undefined ? {} : { command }) };
  const result = await run.room.people.open(caller, { ...wish, environment });
  if (result.ok) return result.terminal;
  throw new UserError(result.error, ExitCode.usage);
}

/** Applies a person's action to a terminal; returns its new state, or throws the refusal. */
function actOn(
  caller: Caller,
  id: string,
  { run }: Running,
  act: (terminal: PoolTerminal, room: BridgeRun["room"]) => { readonly error: string } | undefined,
): Terminal {
  const terminal = run.room.people.find(caller, id);
  if (terminal === undefined) throw new UserError(`there is no terminal ${id}`, ExitCode.usage);
  const refused = act(terminal, run.room);
  if (refused !== undefined) throw new UserError(refused.error, ExitCode.usage);
  return describe(terminal);
}

async function letAgentsType(
  caller: Caller,
  { id, on }: Extract<ControlRequest, { verb: "agents-type" }>,
  running: Running,
): Promise<Terminal> {
  const terminal = actOn(caller, id, running, (one, { openness }) =>
    openness.letAgentsType(caller, one, on),
  );
  if (!on) await checkHostKnows(`Agents can no longer type into terminal ${id}`, running.run);
  return terminal;
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
      "pairpty runs in the background, so it has no window to show the token in",
      ExitCode.usage,
      "Run this in a terminal that is not shared.",
    );
  }
  await untilLinksWork(running);
  const { verb: _verb, code: _code, quietly, expiresInMs, ...wish } = request;
  const { role } = wish;
  const expiresAt = Date.now() + expiresInMs;
  const { grant, token } = run.grants.mint({ ...wish, expiresAt, session: false });
  // The recipient may use the link at once.
  await run.link.confirmed();
  const link = role === "agent" ? undefined : pageLink(run.reach, ready.workspace, token);
  const refused = role === "agent" ? await whyRefused(run, request.isolation) : undefined;
  const told = { grant: toRow(grant), ...(refused === undefined ? {} : { refused }) };
  if (!quietly) return { ...told, token, ...(link === undefined ? {} : { link }) };
  // Everyone in a shared terminal sees its output, agents too.
  const what = `${role} ${link === undefined ? "token" : "link"}`;
  say(`\n  New ${what}, requested inside a shared terminal:\n  ${link ?? token}\n`);
  return told;
}

/**
 * Returns why this agent's commands will be refused; reported when a token is made, before the agent's
 * first failure.
 */
async function whyRefused(
  { walls }: Running["run"],
  isolation: Isolation | undefined,
): Promise<string | undefined> {
  const level = thickest(isolation, walls.floor);
  if (level === "none") return undefined;
  const ability = await walls.ability(level);
  return ability.ok ? undefined : sentences(ability);
}

function toRow(grant: Grant): GrantRow {
  const { hash: _hash, connection: _connection, local: _local, device, ...row } = grant;
  return device === undefined ? row : { ...row, remembered: true };
}
