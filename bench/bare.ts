// Owns starting and ending the bare chain: the least Durable Object in Miniflare, and its host.

import { join } from "node:path";
import { Miniflare } from "miniflare";
import { childrenOf } from "../bridge/processes.ts";
import type { BareRequest, Rendition } from "./bare-host.ts";
import type { Chain, OpenTerminal } from "./chain.ts";
import { Role } from "./role.ts";

const WORKER = join(import.meta.dirname, "..", "bench-worker", "bare-worker.js");

export class BareChain {
  readonly #relay: Miniflare;
  readonly #address: string;
  readonly #host: Role;
  readonly #workerd: number;
  #opened = 0;

  private constructor(relay: Miniflare, address: string, host: Role, workerd: number) {
    this.#relay = relay;
    this.#address = address;
    this.#host = host;
    this.#workerd = workerd;
  }

  static async start(): Promise<BareChain> {
    const before = new Set(childrenOf(process.pid));
    const relay = new Miniflare({
      modules: true,
      scriptPath: WORKER,
      compatibilityDate: "2026-04-26",
      host: "127.0.0.1",
      durableObjects: { ROOM: { className: "BareRoom", useSQLite: true } },
    });
    const address = (await relay.ready).href.replace(/^http/, "ws");
    const workerd = childrenOf(process.pid).find((pid) => !before.has(pid)) ?? 0;
    const host = new Role("bare-host", `${address}host`);
    await host.heard<string>();
    return new BareChain(relay, address, host, workerd);
  }

  /** The same processes, asked for output as text like the product's or as bytes. */
  as(rendition: Rendition): Chain {
    return {
      name: rendition === "json" ? "bare" : "bare, raw bytes",
      processes: { host: this.#host.pid, workerd: this.#workerd },
      open: (command) => this.#open(command, rendition),
    };
  }

  async stop(): Promise<void> {
    this.#host.end();
    await this.#relay.dispose();
  }

  async #open(command: readonly string[], rendition: Rendition): Promise<OpenTerminal> {
    const id = `bare-${++this.#opened}`;
    await this.#ask({ do: "open", id, command, as: rendition });
    return {
      id,
      url: `${this.#address}viewer`,
      protocols: [],
      acks: false,
      close: () => this.#ask({ do: "close" }),
    };
  }

  async #ask(request: BareRequest): Promise<void> {
    const done = this.#host.heard<string>();
    this.#host.tell(request);
    await done;
  }
}
