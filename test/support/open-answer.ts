// Owns an HTTP exchange that a test watches while it is under way: a body that is written piece by
// piece, an answer that is read as it comes, not read at all, or left.

import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:http";
import type { TestRelay } from "./relay.ts";
import { until, within } from "./waiting.ts";

export interface OpenAsking {
  readonly token: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

export class OpenAnswer {
  readonly request: ClientRequest;
  readonly #response: Promise<IncomingMessage>;
  #text = "";
  #bytes = 0;
  #state: "open" | "ended" | "broken" = "open";

  /** The request's body is still to be written; `request.end()` for one without. */
  constructor(relay: TestRelay, path: string, { token, method = "GET", headers = {} }: OpenAsking) {
    this.request = request({
      host: "127.0.0.1",
      port: relay.port,
      path,
      method,
      agent: false,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    this.request.on("error", () => this.#enter("broken"));
    this.#response = new Promise((resolve) => {
      this.request.on("response", (response) => {
        response.on("end", () => this.#enter(response.complete ? "ended" : "broken"));
        response.on("error", () => this.#enter("broken"));
        response.on("close", () => this.#enter("broken"));
        resolve(response);
      });
    });
  }

  /** A request without a body, and an answer that is read as it comes. */
  static async get(relay: TestRelay, path: string, asking: OpenAsking): Promise<OpenAnswer> {
    const answer = new OpenAnswer(relay, path, asking);
    answer.request.end();
    await answer.read();
    return answer;
  }

  /** The head. Nothing of the body is read. */
  head(): Promise<IncomingMessage> {
    return within(this.#response, "no head came", 20_000);
  }

  /** From now on the body is read as it comes. */
  async read(): Promise<void> {
    const response = await this.head();
    response.on("data", (part: Buffer) => {
      this.#bytes += part.length;
      if (this.#text.length < 1 << 20) this.#text += part.toString("latin1");
    });
  }

  get text(): string {
    return this.#text;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get state(): "open" | "ended" | "broken" {
    return this.#state;
  }

  async shows(text: string): Promise<void> {
    await until(`the answer shows ${text}`, () => this.#text.includes(text));
  }

  async is(state: "ended" | "broken"): Promise<void> {
    await until(`the answer is ${state}`, () => this.#state === state);
  }

  /** It ended early. workerd cannot show that to a client: cloudflare/workerd#6818. */
  async isCut(): Promise<void> {
    await until("the answer is cut", () => this.#state !== "open");
  }

  leave(): void {
    this.request.destroy();
  }

  #enter(state: "ended" | "broken"): void {
    if (this.#state === "open") this.#state = state;
  }
}
