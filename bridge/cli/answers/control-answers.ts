// Answers the control requests of the command line in a running bridge.

import { compact } from "../../../protocol/compact.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import type { Caller } from "../../callers/caller.ts";
import type {
  ControlAnswers,
  ControlRequest,
  Ready,
  ReadyAnswer,
} from "../../doors/control/control-requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { BridgeRun } from "../../run/bridge-run.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import { describeTerminal } from "../../terminals/terminal.ts";
import {
  toAdmitAnswer,
  assertRightsPossible,
  listPeople,
  setRights,
  turnAway,
  assertHostCopySaved,
  endRule,
  revoke,
  stop,
  record,
  listRecordings,
} from "./room-answers.ts";
import { listGrantRows, share, waitForLinks } from "./share-answer.ts";
import { answerStatus, listUnsaved } from "./status-answer.ts";

export interface RunningBridge {
  readonly run: BridgeRun;
  /** The current addresses: a tunnel's may change. */
  readonly ready: Ready;
  readonly folder: string;
  /** Whether the bridge has its own window, where secrets can be shown. */
  readonly hasWindow: boolean;
}

export function answerRequest(
  caller: Caller,
  request: ControlRequest,
  running: RunningBridge,
): ControlAnswers[keyof ControlAnswers] | Promise<ControlAnswers[keyof ControlAnswers]> {
  const { run } = running;
  // Checked first: no code would change these errors.
  if (request.verb === "rights") assertRightsPossible(caller, request, running);
  if (request.verb === "answer") assertOpen(request.id, running);
  const guarded = findRequestWithCode(request);
  const question = request.verb === "answer" ? request.id : undefined;
  if (guarded !== undefined) assertCode(running, guarded.code, question);
  switch (request.verb) {
    case "ready":
      return answerReady(running, request.code);
    case "terminals":
      return run.room.people.list(caller);
    case "grants":
      return listGrantRows(running);
    case "revoke":
      return revoke(request.id, run);
    case "approvals":
      return run.room.approvals.listOpen();
    case "answer":
      return answerApproval(request, running);
    case "rules":
      return run.room.approvals.listRules();
    case "endRule":
      return endRule(request.id, run);
    case "share":
      return share(request, running);
    case "status":
      return answerStatus(caller, running);
    case "spawn":
      return spawn(caller, request, running);
    case "close":
      return close(caller, request.id, running);
    case "agents-type":
      return letAgentsType(caller, request, running);
    case "pin":
      return actOnTerminal(caller, request.id, running, (terminal, { terminalSharing }) =>
        terminalSharing.pin(caller, terminal, request.on, request),
      );
    case "rename":
      return actOnTerminal(caller, request.id, running, (terminal, { people }) =>
        people.rename(caller, terminal, request.name),
      );
    case "record":
      return record(caller, request, running);
    case "recordings":
      return listRecordings(running);
    case "people":
      return listPeople(running);
    case "admit":
      return toAdmitAnswer(run.room.moderation.admit(caller, request.who));
    case "turn-away":
      return turnAway(caller, request, running);
    case "rights":
      return setRights(caller, request, running);
    case "unsaved":
      return listUnsaved(run);
    case "needs-code":
      return { needed: run.elevationGate.hasAgentCalled };
    case "stop":
      return stop(run);
  }
}

/** Returns the request if it widens access, else undefined. */
function findRequestWithCode(
  request: ControlRequest,
): { readonly code?: string | undefined } | undefined {
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
function assertCode({ run }: RunningBridge, code: string | undefined, question?: string): void {
  const refusal = run.elevationGate.checkCode(code, question !== undefined);
  if (refusal === undefined) return;
  const isAsked = question !== undefined && refusal.why === "needed";
  const hint = isAsked ? `\`pairpty approve ${question} --code\` asks for the code. ` : "";
  throw new UserError(refusal.error, ExitCode.usage, `${hint}${refusal.hint}`);
}

async function answerReady(running: RunningBridge, code: string | undefined): Promise<ReadyAnswer> {
  const { run, ready } = running;
  if (code !== undefined) assertCode(running, code);
  await waitForLinks(running);
  const isWhole = code !== undefined || run.elevationGate.checkCode(undefined) === undefined;
  // Any process of the user can request the links; the audit log records that one did.
  const outcome = isWhole ? {} : { outcome: "view link only" };
  run.audit.write({ event: "links told", label: "this machine", ...outcome });
  const { own, ...others } = ready;
  const answer = { ...others, isolation: run.isolation.floor };
  if (isWhole) return { ...answer, own };
  const { links, tokens, local } = ready;
  const view = { links: { view: links.view }, tokens: { view: tokens.view } };
  if (local === undefined) return { ...answer, ...view };
  return { ...answer, ...view, local: { ...local, links: { view: local.links.view } } };
}

function assertOpen(id: string, { run }: RunningBridge): void {
  const why = run.room.approvals.closedReason(id);
  if (why !== undefined) throw toNotOpenError(why);
}

function toNotOpenError(why: string): UserError {
  return new UserError(why, ExitCode.usage, "`pairpty approvals` lists the open ones.");
}

function answerApproval(
  { id, answer, reason }: Extract<ControlRequest, { verb: "answer" }>,
  { run }: RunningBridge,
): ControlAnswers["answer"] {
  const by = { label: "the command line", door: "control" };
  const answered = run.room.approvals.answer(id, answer, by, reason);
  if (!answered.ok) throw toNotOpenError(answered.error);
  if (answered.notSaved === undefined) return { id, answer };
  const { message, exitCode, hint } = answered.notSaved;
  throw new UserError(`Allowed ${id} once, but ${message}`, exitCode, hint);
}

async function spawn(
  caller: Caller,
  request: Extract<ControlRequest, { verb: "spawn" }>,
  { run }: RunningBridge,
): Promise<ControlAnswers["spawn"]> {
  const { cwd, command, environment, cols, rows, private: isPrivate } = request;
  const base = { cwd, cols, rows, private: isPrivate };
  const options = { ...base, ...compact({ command }) };
  const result = await run.room.people.open(caller, { ...options, environment });
  if (result.ok) return result.terminal;
  throw new UserError(result.error, ExitCode.usage);
}

/** Applies a person's action to a terminal; returns its new state, or throws the refusal. */
function actOnTerminal(
  caller: Caller,
  id: string,
  { run }: RunningBridge,
  act: (terminal: PoolTerminal, room: BridgeRun["room"]) => { readonly error: string } | undefined,
): Terminal {
  const terminal = run.room.people.find(caller, id);
  if (terminal === undefined) throw new UserError(`there is no terminal ${id}`, ExitCode.usage);
  const refused = act(terminal, run.room);
  if (refused !== undefined) throw new UserError(refused.error, ExitCode.usage);
  return describeTerminal(terminal);
}

async function letAgentsType(
  caller: Caller,
  { id, on }: Extract<ControlRequest, { verb: "agents-type" }>,
  running: RunningBridge,
): Promise<Terminal> {
  const terminal = actOnTerminal(caller, id, running, (one, { terminalSharing }) =>
    terminalSharing.letAgentsType(caller, one, on),
  );
  if (!on) await assertHostCopySaved(`Agents can no longer type into terminal ${id}`, running.run);
  return terminal;
}

async function close(
  caller: Caller,
  id: string,
  { run }: RunningBridge,
): Promise<ControlAnswers["close"]> {
  const terminal = run.room.people.find(caller, id);
  if (terminal === undefined) return { closed: false };
  await run.room.people.close(caller, terminal);
  return { closed: true };
}
