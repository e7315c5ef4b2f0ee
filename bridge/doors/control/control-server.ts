// Owns the bridge's local socket, which receives the requests of the command line. Only its user
// can reach it (folder 0700, socket 0600). Also owns the caller at `bridge.sock`.

import type { Server } from "node:net";
import { createServer } from "node:net";
import type { Caller, Door } from "../../callers/caller.ts";
import type { Hub } from "../../callers/hub.ts";
import { errorMessage, UserError } from "../../errors.ts";
import { logFault } from "../../faults.ts";
import type { Grant } from "../../grants/grant-table.ts";
import type { LineClient } from "../../local/local-socket.ts";
import { LineServer } from "../../local/local-socket.ts";
import type { Log } from "../../log.ts";
import type { ControlAnswers, ControlReply, ControlRequest } from "./control-requests.ts";
import { ControlRequest as Schema } from "./control-requests.ts";
import type { FolderHold } from "./folder-lock.ts";
import { holdFolder } from "./folder-lock.ts";
import { toSchemaMismatch } from "./schema-mismatch.ts";
import { compact } from "../../../protocol/compact.ts";

type AnyAnswer = ControlAnswers[keyof ControlAnswers];
export type ControlHandler = (
  caller: Caller,
  request: ControlRequest,
) => AnyAnswer | Promise<AnyAnswer>;

export class ControlServer {
  readonly #door: LineServer;
  readonly #hold: FolderHold;
  /** Undefined until the bridge is ready; callers wait until then. */
  #handler: ControlHandler | undefined;
  #hub: Pick<Hub, "open"> | undefined;
  #log: Pick<Log, "error"> | undefined;
  readonly #waitingCallers: (() => void)[] = [];

  private constructor(server: Server, hold: FolderHold) {
    this.#hold = hold;
    this.#door = new LineServer({ onValue: (line, value) => this.#onValue(line, value) }, server);
  }

  /** Binds the socket; returns undefined if another bridge holds this folder. */
  static async bind(path: string): Promise<ControlServer | undefined> {
    const server = createServer();
    const hold = await holdFolder(path, server);
    return hold === undefined ? undefined : new ControlServer(server, hold);
  }

  serve(hub: Pick<Hub, "open">, log: Pick<Log, "error">, handler: ControlHandler): void {
    this.#hub = hub;
    this.#log = log;
    this.#handler = handler;
    for (const resume of this.#waitingCallers.splice(0)) resume();
  }

  close(): void {
    this.#hold.release();
    this.#door.close();
  }

  async #onValue(line: LineClient, value: unknown): Promise<void> {
    const caller = createControlCaller(() => line.close());
    if (this.#handler === undefined)
      await new Promise<void>((resolve) => this.#waitingCallers.push(resolve));
    line.send(await this.#reply(caller, value));
  }

  async #reply(caller: Caller, value: unknown): Promise<ControlReply> {
    const request = Schema.safeParse(value);
    if (!request.success) return { ok: false, ...toSchemaMismatch(value, request.error) };
    if (this.#handler === undefined || this.#hub === undefined) {
      return { ok: false, error: "the bridge is not ready" };
    }
    let leave: (() => void) | undefined;
    try {
      // One caller per request: each connection sends one.
      leave = this.#hub.open(caller);
      return { ok: true, value: await this.#handler(caller, request.data) };
    } catch (error) {
      if (!(error instanceof UserError)) {
        if (this.#log !== undefined) logFault(this.#log, `the command ${request.data.verb}`, error);
        return { ok: false, error: errorMessage(error) };
      }
      const { message, hint, exitCode } = error;
      return { ok: false, error: message, code: exitCode, ...compact({ hint }) };
    } finally {
      leave?.();
    }
  }
}

// Only the user's processes can open it, but an unsandboxed agent's program is one of them, so
// requests that widen access may need the code (Q40 to Q47). The caller's grant is in no list, is
// not sent to a relay and cannot be revoked.

const HOST_GRANT: Grant = {
  id: "thismachin",
  role: "edit",
  scopes: [],
  label: "command line",
  hash: "",
  expiresAt: null,
  session: true,
  connection: true,
};

const CONTROL_DOOR: Door = { name: "control", proof: "socket", sendAll: () => {} };

export function createControlCaller(close: () => void): Caller {
  return {
    door: CONTROL_DOOR,
    since: Date.now(),
    grantId: HOST_GRANT.id,
    grant: () => HOST_GRANT,
    send: () => {},
    close,
  };
}
