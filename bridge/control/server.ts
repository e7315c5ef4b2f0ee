// Owns the bridge's local socket: its existence says that this folder has a bridge, and the verbs
// of the command line come in through it. Only its user can reach it (folder 0700, socket 0600).

import { chmodSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { parseValue } from "../../protocol/json.ts";
import { messageOf, systemCode, UserError } from "../errors.ts";
import { connectLocal, readLines, writeLine } from "../json-lines.ts";
import { LocalSocket } from "../local-socket.ts";
import type { ControlAnswers, ControlReply, ControlRequest } from "./requests.ts";
import { ControlRequest as Schema } from "./requests.ts";

type AnyAnswer = ControlAnswers[keyof ControlAnswers];
export type Answer = (request: ControlRequest) => AnyAnswer | Promise<AnyAnswer>;

export class ControlServer {
  readonly #door: LocalSocket;
  /** Undefined until the bridge is ready; callers wait. */
  #answer: Answer | undefined;
  readonly #waiting: (() => void)[] = [];

  private constructor(server: Server, path: string) {
    this.#door = new LocalSocket(path, (socket) => this.#onConnection(socket), server);
  }

  /** Undefined when another bridge has this folder: binding the socket is the lock. */
  static async bind(path: string): Promise<ControlServer | undefined> {
    for (let attempt = 0; attempt < 3; attempt++) {
      const server = createServer();
      const bound = await new Promise<boolean>((resolve, reject) => {
        server.once("error", (error) =>
          systemCode(error) === "EADDRINUSE" ? resolve(false) : reject(error),
        );
        server.listen(path, () => resolve(true));
      });
      if (bound) {
        chmodSync(path, 0o600);
        return new ControlServer(server, path);
      }
      const living = await connectLocal(path).catch(() => undefined);
      if (living !== undefined) {
        living.destroy();
        return undefined;
      }
      // Left by a bridge that was killed: nobody listens.
      rmSync(path, { force: true });
    }
    return undefined;
  }

  serve(answer: Answer): void {
    this.#answer = answer;
    for (const go of this.#waiting.splice(0)) go();
  }

  close(): void {
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
