// Owns the product as a chain: the built command line in folders of its own, as a user starts it.

import { readFileSync } from "node:fs";
import { childrenOf } from "../bridge/processes.ts";
import { SUBPROTOCOL } from "../protocol/version.ts";
import type { Product } from "../test/support/product.ts";
import { Place } from "../test/support/product.ts";
import type { Chain, OpenTerminal } from "./chain.ts";

export class ProductChain {
  readonly #processes: Readonly<Record<string, number>>;
  readonly #place: Place;
  readonly #product: Product;

  private constructor(place: Place, product: Product) {
    this.#place = place;
    this.#product = product;
    const { pid } = product;
    const relay = childRunning(pid, "embedded-relay.js");
    const [workerd = 0] = childrenOf(relay);
    this.#processes = { "pty host": childRunning(pid, "pty-host.js"), bridge: pid, workerd };
  }

  static async start(): Promise<ProductChain> {
    const place = new Place();
    try {
      return new ProductChain(place, await place.start());
    } catch (error) {
      await place[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A viewer that acks is paced or skipped; one that never does, like the seed's, gets all. */
  seenBy(viewer: "acking" | "silent"): Chain {
    return {
      name: viewer === "acking" ? "product" : "product, silent viewer",
      processes: this.#processes,
      open: (command) => this.#open(command, viewer === "acking"),
    };
  }

  async stop(): Promise<void> {
    await this.#place[Symbol.asyncDispose]();
  }

  async #open(command: readonly string[], acks: boolean): Promise<OpenTerminal> {
    const { id } = await this.#product.open({ command });
    const { endpoints, tokens } = this.#product.ready;
    return {
      id,
      url: endpoints.peer,
      protocols: [SUBPROTOCOL, tokens.edit],
      acks,
      close: async () => {
        await this.#product.http(`/pty/${id}`, { method: "DELETE" });
      },
    };
  }
}

function childRunning(parent: number, script: string): number {
  const runs = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(script);
  return childrenOf(parent).find(runs) ?? 0;
}
