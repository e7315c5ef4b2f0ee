// Owns starting and ending the bare chain: its relay and its host, each a process of its own.

import { endProcess } from "../bridge/processes/process-record.ts";
import type { BareRequest, Rendition } from "./bare-host.ts";
import type { BareRelay } from "./bare-relay.ts";
import { startBareRelay } from "./bare-relay.ts";
import type { Chain, OpenTerminal } from "./chain.ts";
import { BARE_LIKE_PAGE } from "./rendition.ts";
import { Role } from "./role.ts";
import { bareId } from "./viewer/bytes-dialect.ts";

const END_GRACE_MS = 2_000;

export class BareChain {
  readonly #relay: BareRelay;
  readonly #host: Role;
  #opened = 0;

  private constructor(relay: BareRelay, host: Role) {
    this.#relay = relay;
    this.#host = host;
  }

  static async start(folder: string): Promise<BareChain> {
    const relay = await startBareRelay(folder);
    const host = new Role("bare-host", `${relay.url}host`);
    await host.received<string>();
    return new BareChain(relay, host);
  }

  /** The same processes, asked for output as text like the product's or as bytes. */
  as(rendition: Rendition): Chain {
    return {
      name: rendition === BARE_LIKE_PAGE ? "bare" : `bare, ${rendition}`,
      processes: () => ({ host: this.#host.pid, workerd: this.workerd }),
      open: (command) => this.#open(command, rendition),
    };
  }

  get viewerUrl(): string {
    return `${this.#relay.url}viewer`;
  }

  get workerd(): number {
    return this.#relay.workerd.pid;
  }

  /** To every viewer there is. */
  async burst(messages: number, bytes: number): Promise<void> {
    await this.#ask({ do: "burst", messages, bytes });
  }

  async stop(): Promise<void> {
    await this.#host.end();
    await endProcess(this.#relay.workerd, END_GRACE_MS);
  }

  async #open(command: readonly string[], rendition: Rendition): Promise<OpenTerminal> {
    const terminal = ++this.#opened;
    await this.#ask({ do: "open", terminal, command, as: rendition });
    return {
      id: bareId(terminal),
      url: this.viewerUrl,
      protocols: [],
      dialect: rendition,
      acks: "never",
      close: () => this.#ask({ do: "close", terminal }),
    };
  }

  async #ask(request: BareRequest): Promise<void> {
    await this.#host.ask<string>(request);
  }
}
