// Owns the bridge's local socket, which receives the requests of the command line. Only its user
// can reach it (folder 0700, socket 0600).

import type { Server } from "node:net";
import { createServer } from "node:net";
import type { Caller } from "../../callers/caller.ts";
import type { Hub } from "../../callers/hub.ts";
import { messageOf, UserError } from "../../errors.ts";
import { logFault } from "../../faults.ts";
import type { Log } from "../../log.ts";
import type { LineCaller } from "../../local/json-lines.ts";
import { LineServer } from "../../local/json-lines.ts";
import { controlCaller } from "./caller.ts";
import type { Hold } from "./folder-lock.ts";
import { holdFolder } from "./folder-lock.ts";
import { misfit } from "./misfit.ts";
import type { ControlAnswers, ControlReply, ControlRequest } from "./requests.ts";
import { ControlRequest as Schema } from "./requests.ts";

type AnyAnswer = ControlAnswers[keyof ControlAnswers];
export type Answer = (caller: Caller, request: ControlRequest) => AnyAnswer | Promise<AnyAnswer>;

export class ControlServer {
  readonly #door: LineServer;
  readonly #hold: Hold;
  /** Undefined until the bridge is ready; callers wait until then. */
  #answer: Answer | undefined;
  #hub: Pick<Hub, "open"> | undefined;
  #log: Pick<Log, "error"> | undefined;
  readonly #waiting: (() => void)[] = [];

  private constructor(server: Server, hold: Hold) {
    this.#hold = hold;
    this.#door = new LineServer({ value: (line, value) => this.#onValue(line, value) }, server);
  }

  /** Binds the socket; returns undefined if another bridge holds this folder. */
  static async bind(path: string): Promise<ControlServer | undefined> {
    const server = createServer();
    const hold = await holdFolder(path, server);
    return hold === undefined ? undefined : new ControlServer(server, hold);
  }

  serve(hub: Pick<Hub, "open">, log: Pick<Log, "error">, answer: Answer): void {
    this.#hub = hub;
    this.#log = log;
    this.#answer = answer;
    for (const go of this.#waiting.splice(0)) go();
  }

  close(): void {
    this.#hold.release();
    this.#door.close();
  }

  async #onValue(line: LineCaller, value: unknown): Promise<void> {
    const caller = controlCaller(() => line.close());
    if (this.#answer === undefined)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    line.tell(await this.#reply(caller, value));
  }

  async #reply(caller: Caller, value: unknown): Promise<ControlReply> {
    const request = Schema.safeParse(value);
    if (!request.success) return { ok: false, ...misfit(value, request.error) };
    if (this.#answer === undefined || this.#hub === undefined) {
      return { ok: false, error: "the bridge is not ready" };
    }
    let leave: (() => void) | undefined;
    try {
      // One caller per request: each connection sends one.
      leave = this.#hub.open(caller);
      return { ok: true, value: await this.#answer(caller, request.data) };
    } catch (error) {
      if (!(error instanceof UserError)) {
        if (this.#log !== undefined) logFault(this.#log, `the verb ${request.data.verb}`, error);
        return { ok: false, error: messageOf(error) };
      }
      const { message, hint, exitCode } = error;
      return { ok: false, error: message, code: exitCode, ...(hint === undefined ? {} : { hint }) };
    } finally {
      leave?.();
    }
  }
}
