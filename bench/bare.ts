// Owns starting and ending the bare chain: its relay and its host, each a process of its own.

import type { ProcessRecord } from "../bridge/processes.ts";
import { endProcess, recordProcess } from "../bridge/processes.ts";
import type { BareRequest, Rendition } from "./bare-host.ts";
import type { BareAddress } from "./bare-relay.ts";
import type { Chain, OpenTerminal } from "./chain.ts";
import { BARE_LIKE_PAGE } from "./rendition.ts";
import { Role } from "./role.ts";
import { bareId } from "./viewer/bytes-dialect.ts";

const END_GRACE_MS = 2_000;

export class BareChain {
  readonly #relay: Role;
  readonly #workerd: ProcessRecord;
  readonly #url: string;
  readonly #host: Role;
  #opened = 0;

  private constructor(relay: Role, { url, workerd }: BareAddress, host: Role) {
    this.#relay = relay;
    this.#workerd = recordProcess(workerd);
    this.#url = url;
    this.#host = host;
  }

  static async start(): Promise<BareChain> {
    const relay = new Role("bare-relay");
    const address = await relay.heard<BareAddress>();
    const host = new Role("bare-host", `${address.url}host`);
    await host.heard<string>();
    return new BareChain(relay, address, host);
  }

  /** The same processes, asked for output as text like the product's or as bytes. */
  as(rendition: Rendition): Chain {
    return {
      name: rendition === BARE_LIKE_PAGE ? "bare" : `bare, ${rendition}`,
      processes: () => ({ host: this.#host.pid, workerd: this.#workerd.pid }),
      open: (command) => this.#open(command, rendition),
    };
  }

  get viewerUrl(): string {
    return `${this.#url}viewer`;
  }

  get workerd(): number {
    return this.#workerd.pid;
  }

  /** To every viewer there is. */
  async burst(messages: number, bytes: number): Promise<void> {
    await this.#ask({ do: "burst", messages, bytes });
  }

  async stop(): Promise<void> {
    await this.#host.end();
    await this.#relay.end();
    // It outlives a parent that was killed.
    await endProcess(this.#workerd, END_GRACE_MS);
  }

  async #open(command: readonly string[], rendition: Rendition): Promise<OpenTerminal> {
    const terminal = ++this.#opened;
    await this.#ask({ do: "open", terminal, command, as: rendition });
    return {
      id: bareId(terminal),
      url: this.viewerUrl,
      protocols: [],
      dialect: rendition,
      acks: false,
      close: () => this.#ask({ do: "close", terminal }),
    };
  }

  async #ask(request: BareRequest): Promise<void> {
    await this.#host.ask<string>(request);
  }
}
