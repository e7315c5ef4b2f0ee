// Owns the messages about the room itself (people, those who wait, the host's decisions, links made
// in the page, round-trip times) and the HTTP route /health. The people's services decide who may
// do what.

import type { ErrorCode } from "../../../protocol/codes.ts";
import { Pong } from "../../../protocol/pty.ts";
import { RoomRequest } from "../../../protocol/room.ts";
import type { Caller } from "../../callers/caller.ts";
import { nameOf } from "../../callers/caller.ts";
import type { Dialect, Route } from "../../callers/hub.ts";
import type { Message } from "../../callers/reading.ts";
import { readMessage } from "../../callers/reading.ts";
import { jsonResponse } from "../../callers/answers.ts";
import { folderFor } from "../../callers/sight.ts";
import type { Grant } from "../../grants/table.ts";
import type { Decision, Hosting } from "../../people/hosting.ts";
import type { Presence } from "../../people/presence.ts";
import type { PeopleTerminals } from "../../people/service.ts";
import type { Made, Sharing } from "../../people/sharing.ts";
import type { Visitors } from "../../people/visitors.ts";
import { idOf, say } from "../../people/visitor.ts";
import { Unavailable } from "../../terminals/unavailable.ts";
import { VERSION } from "../../version.ts";
import type { Unsaved } from "../../workspace/durable-file.ts";
import { formatUnsavedForPage } from "../../workspace/durable-file.ts";
import type { FolderName } from "../../workspace/folder-name.ts";
import { Pings } from "./pings.ts";
import { MessageRate } from "../../callers/rate.ts";

export interface RoomDialectParts {
  readonly visitors: Pick<
    Visitors,
    "hello" | "joined" | "left" | "listens" | "looks" | "of" | "rename"
  >;
  readonly presence: Pick<Presence, "welcome">;
  readonly hosting: Pick<Hosting, "admit" | "knocks" | "remove" | "setRole" | "turnAway">;
  readonly sharing: Pick<
    Sharing,
    "forget" | "isRemembered" | "links" | "mayShare" | "remember" | "revoke" | "share"
  >;
  /** Resolves soon with what of the last change is not saved. */
  readonly unsaved: () => Promise<readonly Unsaved[]>;
  readonly linkOf: (caller: Caller) => Pick<Grant, "label" | "role" | "own"> | undefined;
  /** The workspace's name, for people who may type and for those who may not. */
  readonly folder?: FolderName | undefined;
  /** Returns the address for others, if it differs from the one dialled. */
  readonly address?: (() => string | undefined) | undefined;
}

export class RoomDialect implements Dialect {
  readonly prefix = "room:";
  readonly doors = ["people", "terminal"] as const;
  readonly types = ["pairpty:pong"];
  readonly harmlessTypes = ["pairpty:pong", "room:hello", "room:look", "room:links"];
  readonly #parts: RoomDialectParts;
  readonly #pings = new Pings();
  readonly #rate = new MessageRate();

  constructor(parts: RoomDialectParts) {
    this.#parts = parts;
  }

  /** Returns the round-trip time to a person in ms; undefined if the client does not answer. */
  ping(caller: Caller): Promise<number | undefined> {
    return this.#pings.ping(caller);
  }

  /** Welcomes a caller; also called when the bridge reconnects. */
  joined(caller: Caller): void {
    const { visitors } = this.#parts;
    visitors.joined(caller);
    const names = this.#parts.folder;
    const folder = names && folderFor(caller.grant(), names);
    say(caller, { type: "room:welcome", ...(folder === undefined ? {} : { folder }) });
    const origin = this.#parts.address?.();
    if (origin !== undefined) say(caller, { type: "room:address", origin });
    if (visitors.listens(caller)) this.#tellAll(caller);
  }

  left(caller: Caller): void {
    this.#parts.visitors.left(caller);
  }

  changed(caller: Caller): void {
    if (!this.#parts.visitors.listens(caller)) return;
    this.#tellYou(caller);
    this.#tellKnocks(caller);
  }

  message(caller: Caller, message: Message): void | Promise<void> {
    if (message.type === "pairpty:pong") return this.#pong(caller, message);
    if (!this.#rate.maySpeak(caller)) {
      return caller.tell(this.error("too_many", "Too many messages; wait a moment"));
    }
    const parsed = readMessage(RoomRequest, message);
    if (!parsed.ok) return caller.tell(this.error("bad_request", parsed.error));
    return this.#carryOut(caller, parsed.value);
  }

  /** Whether the message lets a person in, gives a right, or makes a link. */
  widens({ type, role }: Message): boolean {
    if (type === "room:rights") return role !== "view";
    return ["room:admit", "room:share", "room:remember"].includes(type);
  }

  error(code: ErrorCode, error: string): string {
    return JSON.stringify({ type: "room:error", code, error });
  }

  #carryOut(caller: Caller, request: RoomRequest): void | Promise<void> {
    const { visitors, hosting, sharing } = this.#parts;
    switch (request.type) {
      case "room:hello": {
        const isNew = !visitors.listens(caller);
        visitors.hello(caller, request);
        return isNew ? this.#tellAll(caller) : this.#tellYou(caller);
      }
      case "room:name":
        visitors.rename(caller, request.name);
        return this.#tellYou(caller);
      case "room:look":
        return visitors.looks(caller, request.id);
      case "room:admit":
        return this.#decided(caller, hosting.admit(caller, request.who));
      case "room:turn-away":
        return this.#takenAway(caller, hosting.turnAway(caller, request.who));
      case "room:rights":
        return this.#changedRole(caller, request);
      case "room:remove":
        return this.#takenAway(caller, hosting.remove(caller, request.who));
      case "room:share":
        return this.#made(caller, sharing.share(caller, request), (made) =>
          say(caller, { type: "room:shared", ...made }),
        );
      case "room:links":
        return this.#linksTo(caller, sharing.links(caller));
      case "room:revoke": {
        const links = sharing.revoke(caller, request.id);
        this.#linksTo(caller, links);
        return links.ok ? this.#tellUnsaved(caller) : undefined;
      }
      case "room:remember":
        return this.#made(caller, sharing.remember(caller, request.origin), (made) =>
          say(caller, { type: "room:remembered", ...made }),
        );
      case "room:forget":
        // Sent first: a caller that came by that link gets nothing afterwards.
        say(caller, { type: "room:forgotten" });
        sharing.forget(caller);
        return this.#tellUnsaved(caller);
    }
  }

  #tellAll(caller: Caller): void {
    const { hosting, presence } = this.#parts;
    this.#tellYou(caller);
    presence.welcome(caller);
    if (hosting.knocks(caller).length > 0) this.#tellKnocks(caller);
  }

  #tellKnocks(caller: Caller): void {
    say(caller, { type: "room:knocks", knocks: this.#parts.hosting.knocks(caller) });
  }

  #tellYou(caller: Caller): void {
    const { visitors, sharing, linkOf } = this.#parts;
    const visitor = visitors.of(caller);
    const grant = caller.grant();
    const link = linkOf(caller);
    if (visitor === undefined || grant === undefined || link === undefined) return;
    const { name } = caller.standing ?? {};
    say(caller, {
      type: "room:you",
      you: idOf(visitor),
      ...(name === undefined ? {} : { name }),
      label: nameOf(link),
      role: grant.role,
      ...(grant.role === link.role ? {} : { limited: true }),
      ...(link.own === true ? { own: true } : {}),
      ...(sharing.mayShare(caller) ? { mayShare: true } : {}),
      ...(sharing.isRemembered(caller) ? { remembered: true } : {}),
    });
  }

  #decided(caller: Caller, decision: Decision): void {
    if (!decision.ok) caller.tell(this.error(decision.code, decision.error));
  }

  #changedRole(
    caller: Caller,
    { who, role }: Extract<RoomRequest, { type: "room:rights" }>,
  ): void | Promise<void> {
    const decision = this.#parts.hosting.setRole(caller, who, role);
    return role === "view" ? this.#takenAway(caller, decision) : this.#decided(caller, decision);
  }

  async #takenAway(caller: Caller, decision: Decision): Promise<void> {
    this.#decided(caller, decision);
    if (decision.ok) await this.#tellUnsaved(caller);
  }

  /** Sends an error if the change, which already applies, would be undone by a crash. */
  async #tellUnsaved(caller: Caller): Promise<void> {
    const text = formatUnsavedForPage(await this.#parts.unsaved());
    if (text !== undefined) caller.tell(this.error("not_saved", text));
  }

  #linksTo(caller: Caller, made: Made<Parameters<typeof linksWords>[0]>): void {
    caller.tell(made.ok ? linksWords(made.value) : this.error(made.code, made.error));
  }

  async #made<T>(caller: Caller, making: Promise<Made<T>>, tell: (made: T) => void): Promise<void> {
    const made = await making;
    if (made.ok) tell(made.value);
    else caller.tell(this.error(made.code, made.error));
  }

  #pong(caller: Caller, message: Message): void {
    const pong = readMessage(Pong, message);
    if (pong.ok) this.#pings.answered(caller, pong.value.n);
    else caller.tell(this.error("bad_request", pong.error));
  }
}

function linksWords(links: Extract<ReturnType<Sharing["links"]>, { ok: true }>["value"]): string {
  return JSON.stringify({ type: "room:links", links });
}

/** Liveness check of the pty host. */
export interface Pulse {
  ping(): Promise<void>;
}

export function healthRoute(ptyHost: Pulse, people: Pick<PeopleTerminals, "list">): Route {
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
  return { path: "/health", needs: "nothing", serve };
}
