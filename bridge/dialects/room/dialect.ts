// Owns what is said about the room itself: how far its people are, and whether everything works.

import type { ErrorCode } from "../../../protocol/codes.ts";
import { parseValue } from "../../../protocol/json.ts";
import { Pong } from "../../../protocol/pty.ts";
import type { Caller } from "../../callers/caller.ts";
import type { Dialect, Message, Route } from "../../callers/hub.ts";
import { errorResponse, jsonResponse } from "../../callers/answers.ts";
import type { PeopleTerminals } from "../../people/service.ts";
import { Unavailable } from "../../terminals/unavailable.ts";
import { VERSION } from "../../version.ts";
import { Pings } from "./pings.ts";

export class RoomDialect implements Dialect {
  readonly prefix = "room:";
  readonly types = ["pairpty:pong"];
  readonly #pings = new Pings();

  /** Milliseconds to a person and back; undefined when its client does not answer. */
  ping(caller: Caller): Promise<number | undefined> {
    return this.#pings.ping(caller);
  }

  message(caller: Caller, message: Message): void {
    const pong = parseValue(Pong, message);
    if (pong.ok) return this.#pings.answered(caller, pong.value.n);
    return caller.tell(this.error("bad_request", `${message.type.slice(0, 60)}: ${pong.error}`));
  }

  error(code: ErrorCode, error: string): string {
    return JSON.stringify({ type: "room:error", code, error });
  }
}

/** The pty host's. */
export interface Pulse {
  ping(): Promise<void>;
}

export function healthRoute(ptyHost: Pulse, people: Pick<PeopleTerminals, "list">): Route {
  const path = "/health";
  const serve = async (caller: Caller, request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname !== path) return errorResponse("not_found", `Nothing is served at ${pathname}`);
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
  return { path, serve };
}
