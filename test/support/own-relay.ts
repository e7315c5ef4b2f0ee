// Owns `pairpty relay` in tests: the built command line with a folder and a port of its own.

import { join } from "node:path";
import { findFreePort } from "../../bridge/workerd/free-port.ts";
import type { Place } from "./product.ts";
import { CLI, Product } from "./product.ts";

export const RELAY_KEY = "a key for the tests of a relay of one's own";

interface OwnRelayReady {
  readonly relay: string;
  readonly data: string;
  readonly key: boolean;
  readonly pid: number;
  readonly workerd: number;
}

export class OwnRelay {
  readonly #product: Product;
  readonly port: number;

  private constructor(product: Product, port: number) {
    this.#product = product;
    this.port = port;
  }

  /** On the data folder of the place, so that a second one finds what the first left. */
  static async start(place: Place, port?: number, ...args: string[]): Promise<OwnRelay> {
    const chosen = port ?? (await findFreePort());
    const data = ["--data", join(place.root, "data")];
    const all = ["relay", "--json", "--port", String(chosen), ...data, ...args];
    const product = new Product(place, CLI, all);
    await product.becomesReady();
    return new OwnRelay(product, chosen);
  }

  get ready(): OwnRelayReady {
    return this.#product.ready as unknown as OwnRelayReady;
  }

  get stderr(): string {
    return this.#product.stderr();
  }

  get events(): readonly Record<string, unknown>[] {
    return this.#product.events;
  }

  event(name: string): Promise<Record<string, unknown>> {
    return this.#product.event(name);
  }

  stop(): Promise<number | null> {
    return this.#product.stop();
  }

  kill(): Promise<void> {
    return this.#product.kill();
  }
}
