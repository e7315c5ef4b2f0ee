// Owns what each request of the pty dialect does, one row each; `pty:input` is the dialect's own.
// The dialect has validated the request and checked its right; services decide everything finer.

import { compact } from "../../../protocol/compact.ts";
import { linkName } from "../../../protocol/names.ts";
import type { PtyRequest } from "../../../protocol/pty-requests.ts";
import type { Sender } from "../../callers/caller.ts";
import { hasPermission } from "../../callers/permissions.ts";
import type { PeopleTerminals, Refusal } from "../../people/people-terminals.ts";
import { NOT_FOUND } from "../../people/people-terminals.ts";
import type { PresenceTracker } from "../../people/presence-tracker.ts";
import type { SteppingIn } from "../../people/stepping-in.ts";
import type { TerminalSharing } from "../../people/terminal-sharing.ts";
import type { Recordings } from "../../recordings/recordings.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import type { Peer } from "../../viewers/peer-table.ts";
import type { Viewers } from "../../viewers/viewers.ts";
import { encodeEvent } from "./pty-messages.ts";

export interface PtyHandlersDeps {
  readonly people: Pick<PeopleTerminals, "close" | "find" | "open" | "promote" | "rename">;
  readonly terminalSharing: Pick<TerminalSharing, "setPrivate" | "letAgentsType" | "pin">;
  readonly steppingIn: Pick<SteppingIn, "stepIn" | "handBack">;
  readonly viewers: Pick<
    Viewers,
    "onAck" | "attach" | "detach" | "getDriver" | "setDriver" | "get" | "requestSize" | "setView"
  >;
  /** Receives what people look at. */
  readonly presence: Pick<PresenceTracker, "onAttachmentsChanged">;
  readonly recordings?: Pick<Recordings, "start" | "stop"> | undefined;
}

/** A request under way: its sender, and the sender's place in the room. */
export interface PtyCall extends Sender {
  readonly viewer: Peer;
}

interface TerminalCall extends PtyCall {
  readonly terminal: PoolTerminal;
}

/** A refusal is sent as `pty:error` with the request's id. */
type Outcome = Refusal | undefined | void;
export type PtyOutcome = Outcome | Promise<Outcome>;

type RequestMap = { readonly [One in PtyRequest as One["type"]]: One };
/** The compiler reports a request without a handler. */
export type PtyHandlers = {
  readonly [Type in Exclude<keyof RequestMap, "pty:input">]: (
    call: PtyCall,
    request: RequestMap[Type],
  ) => PtyOutcome;
};

export function createPtyHandlers(deps: PtyHandlersDeps): PtyHandlers {
  const { people, terminalSharing, steppingIn, viewers, presence, recordings } = deps;

  /** Wraps a handler of a request whose id is a terminal's. */
  function onTerminal<Request extends { readonly id: string }>(
    handle: (call: TerminalCall, request: Request) => PtyOutcome,
  ): (call: PtyCall, request: Request) => PtyOutcome {
    return (call, request) => {
      const terminal = people.find(call.caller, request.id, call.grant);
      return terminal === undefined ? NOT_FOUND : handle({ ...call, terminal }, request);
    };
  }

  return {
    "pty:spawn": async ({ caller }, { type: _type, id, ...body }) => {
      const opened = await people.open(caller, body);
      if (!opened.ok) return opened;
      return caller.send(encodeEvent("pty:spawned", { id, terminal: opened.terminal }));
    },
    "pty:close": onTerminal(async ({ caller, terminal }, { id }) => {
      const refused = await people.close(caller, terminal);
      return refused ?? caller.send(encodeEvent("pty:closed", { id }));
    }),
    "pty:attach": onTerminal(({ caller, grant, viewer, terminal }, { epoch, offset }) => {
      const place = epoch === undefined || offset === undefined ? undefined : { epoch, offset };
      viewers.attach(viewer, terminal, hasPermission(grant, "change"), place);
      presence.onAttachmentsChanged(caller);
    }),
    "pty:detach": onTerminal(({ caller, viewer, terminal }) => {
      viewers.detach(viewer, terminal);
      presence.onAttachmentsChanged(caller);
    }),
    "pty:ack": onTerminal(({ viewer, terminal }, { offset }) =>
      viewers.onAck(viewer, terminal, offset),
    ),
    "pty:resize": onTerminal(({ viewer, terminal }, size) =>
      viewers.requestSize(viewer, terminal, size),
    ),
    "pty:view": onTerminal(({ viewer, terminal }, view) =>
      viewers.setView(viewer, terminal, view, view.visible),
    ),
    "pty:drive": onTerminal(({ viewer, terminal }) => viewers.setDriver(viewer, terminal)),
    "pty:ask": onTerminal((call) => requestDriving(call, viewers)),
    "pty:give": onTerminal((call, { peer }) => handOver(call, peer, viewers)),
    "pty:private": onTerminal(({ caller, terminal }, { on }) =>
      terminalSharing.setPrivate(caller, terminal, on),
    ),
    "pty:agents-type": onTerminal(({ caller, terminal }, { on, grants }) =>
      terminalSharing.letAgentsType(caller, terminal, on, grants),
    ),
    "pty:pin": onTerminal(({ caller, terminal }, { on, cols, rows }) =>
      terminalSharing.pin(caller, terminal, on, { cols, rows }),
    ),
    "pty:record": onTerminal(async ({ caller, terminal }, { on }) => {
      const change = on ? recordings?.start(caller, terminal) : recordings?.stop(caller, terminal);
      const done = await change;
      return done?.ok === false ? done : undefined;
    }),
    "pty:step-in": onTerminal(({ caller, terminal }) => steppingIn.stepIn(caller, terminal)),
    "pty:hand-back": onTerminal(({ caller, terminal }, { hide }) =>
      steppingIn.handBack(caller, terminal, hide === true),
    ),
    "pty:rename": onTerminal(({ caller, terminal }, { name }) =>
      people.rename(caller, terminal, name),
    ),
    "pty:promote": onTerminal(({ caller, terminal }) => people.promote(caller, terminal)),
  };
}

/** Calls the handler of a request's type. */
export function handleRequest<Type extends keyof PtyHandlers>(
  handlers: PtyHandlers,
  call: PtyCall,
  request: { readonly [One in Type]: RequestMap[One] & { readonly type: One } }[Type],
): PtyOutcome {
  return handlers[request.type](call, request);
}

type Driving = Pick<Viewers, "get" | "getDriver" | "setDriver">;

function requestDriving({ caller, grant, viewer, terminal }: TerminalCall, viewers: Driving): void {
  const driver = viewers.getDriver(terminal);
  if (driver === undefined) return viewers.setDriver(viewer, terminal);
  if (driver === viewer) return undefined;
  const { name } = caller.status ?? {};
  return driver.caller.send(
    encodeEvent("pty:asked", {
      id: terminal.id,
      peer: viewer.number,
      label: linkName(grant),
      ...compact({ name }),
    }),
  );
}

function handOver({ viewer, terminal }: TerminalCall, to: number, viewers: Driving): Outcome {
  const next = viewers.get(to);
  if (viewers.getDriver(terminal) !== viewer) {
    const error = "Only the person typing can hand over; take over with pty:drive";
    return { ok: false, code: "forbidden", error };
  }
  if (next?.attached.has(terminal.id) !== true)
    return { ok: false, code: "not_found", error: "That viewer is no longer here" };
  return viewers.setDriver(next, terminal);
}
