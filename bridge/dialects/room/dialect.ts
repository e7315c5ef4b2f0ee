// Owns the messages about the room itself (people, those who wait, the host's decisions, links made
// in the page, round-trip times) and the HTTP route /health. The people's services decide who may
// do what.

import { compact } from "../../../protocol/compact.ts";
import type { ErrorCode } from "../../../protocol/codes.ts";
import { Pong } from "../../../protocol/pty.ts";
import { RoomRequest } from "../../../protocol/room.ts";
import { linkName } from "../../../protocol/names.ts";
import type { Caller, Sender } from "../../callers/caller.ts";
import type { Dialect } from "../../callers/dialect-interface.ts";
import type { Route } from "../../callers/routes.ts";
import type { Message } from "../../callers/message-parsing.ts";
import { parseMessage } from "../../callers/message-parsing.ts";
import { jsonResponse } from "../../callers/json-response.ts";
import { getFolderName } from "../../callers/permissions.ts";
import type { Grant } from "../../grants/grant-table.ts";
import type { ModerationResult } from "../../people/moderation-result.ts";
import type { Moderation } from "../../people/moderation.ts";
import type { PresenceBroadcaster } from "../../people/presence-broadcaster.ts";
import type { PeopleTerminals } from "../../people/people-terminals.ts";
import type { LinkResult, LinkSharing } from "../../people/link-sharing.ts";
import type { PresenceTracker } from "../../people/presence-tracker.ts";
import { toVisitorId, sendMessage } from "../../people/visitor.ts";
import { Unavailable } from "../../terminals/unavailable.ts";
import { VERSION } from "../../build-info.ts";
import type { UnsavedChange } from "../../workspace/durable-file.ts";
import { formatUnsavedForPage } from "../../workspace/durable-file.ts";
import type { FolderName } from "../../workspace/identity.ts";
import { Pings } from "./pings.ts";

export interface RoomDialectDeps {
  readonly visitors: Pick<
    PresenceTracker,
    "onHello" | "onJoined" | "onLeave" | "receivesPresence" | "setLooking" | "find" | "rename"
  >;
  readonly presence: Pick<PresenceBroadcaster, "welcome">;
  readonly moderation: Pick<Moderation, "admit" | "listKnocks" | "remove" | "setRole" | "turnAway">;
  readonly sharing: Pick<
    LinkSharing,
    "forget" | "isRemembered" | "listLinks" | "mayShare" | "remember" | "revoke" | "share"
  >;
  /** Resolves within a short time to the parts of the last change that are not saved. */
  readonly unsaved: () => Promise<readonly UnsavedChange[]>;
  readonly findLink: (
    caller: Caller,
  ) => Pick<Grant, "label" | "role" | "own" | "session"> | undefined;
  /** The workspace's name: one for people who may type, one for those who may not. */
  readonly folder?: FolderName | undefined;
  /** Returns the address for others, if it differs from the one dialled. */
  readonly address?: (() => string | undefined) | undefined;
}

/** More than a person sends, including what a page sends when it reconnects. */
export const ROOM_LIMIT = { burst: 40, perSecond: 5, except: ["pairpty:pong"] } as const;

export class RoomDialect implements Dialect {
  readonly prefix = "room:";
  readonly doors = ["people", "terminal"] as const;
  readonly types = ["pairpty:pong"];
  readonly limit = ROOM_LIMIT;
  readonly lateSafeTypes = ["pairpty:pong", "room:hello", "room:look", "room:links"];
  readonly #deps: RoomDialectDeps;
  readonly #pings = new Pings();

  constructor(deps: RoomDialectDeps) {
    this.#deps = deps;
  }

  /** Returns the round-trip time to a person in ms; undefined if the client does not answer. */
  ping(caller: Caller): Promise<number | undefined> {
    return this.#pings.ping(caller);
  }

  /** Welcomes a caller; also called when the bridge reconnects. */
  onJoin(caller: Caller): void {
    const { visitors } = this.#deps;
    visitors.onJoined(caller);
    const names = this.#deps.folder;
    const folder = names && getFolderName(caller.grant(), names);
    sendMessage(caller, { type: "room:welcome", ...compact({ folder }) });
    const origin = this.#deps.address?.();
    if (origin !== undefined) sendMessage(caller, { type: "room:address", origin });
    if (visitors.receivesPresence(caller)) this.#sendAll(caller);
  }

  onLeave(caller: Caller): void {
    this.#deps.visitors.onLeave(caller);
  }

  onRightsChange(caller: Caller): void {
    if (!this.#deps.visitors.receivesPresence(caller)) return;
    this.#sendYou(caller);
    this.#sendKnocks(caller);
  }

  onMessage({ caller }: Sender, message: Message): void | Promise<void> {
    if (message.type === "pairpty:pong") return this.#pong(caller, message);
    const parsed = parseMessage(RoomRequest, message);
    if (!parsed.ok) return caller.send(this.error("bad_request", parsed.error));
    return this.#handle(caller, parsed.value);
  }

  /** Whether the message lets a person in, gives a right, or makes a link. */
  requiresCode({ type, role }: Message): boolean {
    if (type === "room:rights") return role !== "view";
    return ["room:admit", "room:share", "room:remember"].includes(type);
  }

  error(code: ErrorCode, error: string): string {
    return JSON.stringify({ type: "room:error", code, error });
  }

  #handle(caller: Caller, request: RoomRequest): void | Promise<void> {
    const { visitors, moderation, sharing } = this.#deps;
    switch (request.type) {
      case "room:hello": {
        const isNew = !visitors.receivesPresence(caller);
        visitors.onHello(caller, request);
        return isNew ? this.#sendAll(caller) : this.#sendYou(caller);
      }
      case "room:name":
        visitors.rename(caller, request.name);
        return this.#sendYou(caller);
      case "room:look":
        return visitors.setLooking(caller, request.id);
      case "room:admit":
        return this.#sendDecision(caller, moderation.admit(caller, request.who));
      case "room:turn-away":
        return this.#sendRemoval(caller, moderation.turnAway(caller, request.who));
      case "room:rights":
        return this.#changeRole(caller, request);
      case "room:remove":
        return this.#sendRemoval(caller, moderation.remove(caller, request.who));
      case "room:share":
        return this.#sendResult(caller, sharing.share(caller, request), (made) =>
          sendMessage(caller, { type: "room:shared", ...made }),
        );
      case "room:links":
        return this.#sendLinks(caller, sharing.listLinks(caller));
      case "room:revoke": {
        const links = sharing.revoke(caller, request.id);
        this.#sendLinks(caller, links);
        return links.ok ? this.#sendUnsaved(caller) : undefined;
      }
      case "room:remember":
        return this.#sendResult(caller, sharing.remember(caller, request.origin), (made) =>
          sendMessage(caller, { type: "room:remembered", ...made }),
        );
      case "room:forget":
        // Sent first: the caller itself may have used that link, and gets nothing after it is
        // closed.
        sendMessage(caller, { type: "room:forgotten" });
        sharing.forget(caller);
        return this.#sendUnsaved(caller);
    }
  }

  #sendAll(caller: Caller): void {
    const { moderation, presence } = this.#deps;
    this.#sendYou(caller);
    presence.welcome(caller);
    if (moderation.listKnocks(caller).length > 0) this.#sendKnocks(caller);
  }

  #sendKnocks(caller: Caller): void {
    sendMessage(caller, { type: "room:knocks", knocks: this.#deps.moderation.listKnocks(caller) });
  }

  #sendYou(caller: Caller): void {
    const { visitors, sharing, findLink } = this.#deps;
    const visitor = visitors.find(caller);
    const grant = caller.grant();
    const link = findLink(caller);
    if (visitor === undefined || grant === undefined || link === undefined) return;
    const { name } = caller.status ?? {};
    sendMessage(caller, {
      type: "room:you",
      you: toVisitorId(visitor),
      ...compact({ name }),
      label: linkName(link),
      role: grant.role,
      ...(grant.role === link.role ? {} : { limited: true }),
      ...(link.own === true ? { own: true } : {}),
      ...(link.session ? {} : { lasts: true }),
      ...(sharing.mayShare(caller) ? { mayShare: true } : {}),
      ...(sharing.isRemembered(caller) ? { remembered: true } : {}),
    });
  }

  #sendDecision(caller: Caller, decision: ModerationResult): void {
    if (!decision.ok) caller.send(this.error(decision.code, decision.error));
  }

  #changeRole(
    caller: Caller,
    { who, role }: Extract<RoomRequest, { type: "room:rights" }>,
  ): void | Promise<void> {
    const decision = this.#deps.moderation.setRole(caller, who, role);
    return role === "view"
      ? this.#sendRemoval(caller, decision)
      : this.#sendDecision(caller, decision);
  }

  async #sendRemoval(caller: Caller, decision: ModerationResult): Promise<void> {
    this.#sendDecision(caller, decision);
    if (decision.ok) await this.#sendUnsaved(caller);
  }

  /** Sends an error if the change, which already applies, would be undone by a crash. */
  async #sendUnsaved(caller: Caller): Promise<void> {
    const text = formatUnsavedForPage(await this.#deps.unsaved());
    if (text !== undefined) caller.send(this.error("not_saved", text));
  }

  #sendLinks(caller: Caller, made: LinkResult<Parameters<typeof encodeLinks>[0]>): void {
    caller.send(made.ok ? encodeLinks(made.value) : this.error(made.code, made.error));
  }

  async #sendResult<T>(
    caller: Caller,
    pending: Promise<LinkResult<T>>,
    send: (made: T) => void,
  ): Promise<void> {
    const made = await pending;
    if (made.ok) send(made.value);
    else caller.send(this.error(made.code, made.error));
  }

  #pong(caller: Caller, message: Message): void {
    const pong = parseMessage(Pong, message);
    if (pong.ok) this.#pings.onPong(caller, pong.value.n);
    else caller.send(this.error("bad_request", pong.error));
  }
}

function encodeLinks(
  links: Extract<ReturnType<LinkSharing["listLinks"]>, { ok: true }>["value"],
): string {
  return JSON.stringify({ type: "room:links", links });
}

/** Liveness check of the pty host. */
export interface PtyHostPing {
  ping(): Promise<void>;
}

export function healthRoute(ptyHost: PtyHostPing, people: Pick<PeopleTerminals, "list">): Route {
  const serve = async (caller: Caller) => {
    const relay = "ok";
    try {
      await ptyHost.ping();
      const terminals = people.list(caller).length;
      return jsonResponse(200, { relay, bridge: "ok", ptyHost: "ok", terminals, version: VERSION });
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return jsonResponse(503, { relay, bridge: "ok", ptyHost: "gone", version: VERSION });
    }
  };
  return { path: "/health", requires: "nothing", serve };
}
