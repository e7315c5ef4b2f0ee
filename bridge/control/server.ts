// Owns the bridge's local socket: the verbs of the command line come in through it. Only
// its user can reach it (folder 0700, socket 0600).

import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { parseValue } from "../../protocol/json.ts";
import { messageOf, UserError } from "../errors.ts";
import { readLines, writeLine } from "../json-lines.ts";
import { LocalSocket } from "../local-socket.ts";
import type { Hold } from "./folder-lock.ts";
import { holdFolder } from "./folder-lock.ts";
import type { ControlAnswers, ControlReply, ControlRequest } from "./requests.ts";
import { ControlRequest as Schema } from "./requests.ts";

type AnyAnswer = ControlAnswers[keyof ControlAnswers];
export type Answer = (request: ControlRequest) => AnyAnswer | Promise<AnyAnswer>;

export class ControlServer {
  readonly #door: LocalSocket;
  readonly #hold: Hold;
  /** Undefined until the bridge is ready; callers wait. */
  #answer: Answer | undefined;
  readonly #waiting: (() => void)[] = [];

  private constructor(server: Server, hold: Hold) {
    this.#hold = hold;
    this.#door = new LocalSocket((socket) => this.#onConnection(socket), server);
  }

  /** Undefined when another bridge has this folder. */
  static async bind(path: string): Promise<ControlServer | undefined> {
    const server = createServer();
    const hold = await holdFolder(path, server);
    return hold === undefined ? undefined : new ControlServer(server, hold);
  }

  serve(answer: Answer): void {
    this.#answer = answer;
    for (const go of this.#waiting.splice(0)) go();
  }

  close(): void {
    this.#hold.release();
    this.#door.close();
  }

  #onConnection(socket: Socket): void {
    readLines(socket, (value) => {
      const reply = () => void this.#reply(value).then((answer) => writeLine(socket, answer));
      if (this.#answer === undefined) this.#waiting.push(reply);
      else reply();
    });
  }

  async #reply(value: unknown): Promise<ControlReply> {
    const request = parseValue(Schema, value);
    if (!request.ok) return { ok: false, error: `the request does not fit: ${request.error}` };
    if (this.#answer === undefined) return { ok: false, error: "the bridge is not ready" };
    try {
      return { ok: true, value: await this.#answer(request.value) };
    } catch (error) {
      if (!(error instanceof UserError)) return { ok: false, error: messageOf(error) };
      const { message, hint, exitCode } = error;
      return { ok: false, error: message, code: exitCode, ...(hint === undefined ? {} : { hint }) };
    }
  }
}
