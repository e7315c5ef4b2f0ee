// Owns the product on a relay elsewhere: the Worker in a workerd of its own, as one deploys it, with a
// link of any kind between the bridge and it, and another between viewers and it.

import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../bridge/workerd/free-port.ts";
import { findWorkerd } from "../bridge/workerd/binary.ts";
import type { Workerd } from "../bridge/workerd/workerd-process.ts";
import { startWorkerd } from "../bridge/workerd/workerd-process.ts";
import { Place } from "../test/support/product.ts";
import { ProductChain } from "./product.ts";
import { SlowLink } from "./slow-link.ts";

export interface Line {
  readonly rttMs: number;
  readonly bytesPerSecond: number;
}

/** Only counts. */
export const FREE: Line = { rttMs: 0, bytesPerSecond: Infinity };

const KEY = "a key for the bench alone";
const WORKER = join(import.meta.dirname, "..", "relay", "worker.js");
const WEB = join(import.meta.dirname, "..", "web");
/** This machine too, but no name of it that a bridge knows: to it the relay is elsewhere. */
const ELSEWHERE = "127.0.0.2";

export class RemoteProduct {
  readonly chain: ProductChain;
  readonly bridgeLink: SlowLink;
  readonly viewerLink: SlowLink;
  readonly #workerd: Workerd;

  private constructor(
    chain: ProductChain,
    bridgeLink: SlowLink,
    viewerLink: SlowLink,
    workerd: Workerd,
  ) {
    this.chain = chain;
    this.bridgeLink = bridgeLink;
    this.viewerLink = viewerLink;
    this.#workerd = workerd;
  }

  static async start(parent: string, bridge: Line, viewer: Line): Promise<RemoteProduct> {
    const folder = mkdtempSync(join(parent, "remote-"));
    const data = join(folder, "rooms");
    mkdirSync(data);
    const port = await findFreePort();
    const workerd = await startWorkerd({
      binary: findWorkerd(),
      worker: WORKER,
      plan: { host: "127.0.0.1", port, web: WEB, data, loopback: false, allowedOrigins: [] },
      temporary: folder,
      relayKey: KEY,
      onLine: () => {},
    });
    const bridgeLink = await SlowLink.start({ host: ELSEWHERE, target: port, ...bridge });
    const viewerLink = await SlowLink.start({ host: "127.0.0.1", target: port, ...viewer });
    const place = new Place({ PAIRPTY_RELAY_KEY: KEY });
    try {
      const relay = `http://${ELSEWHERE}:${bridgeLink.port}`;
      const product = await place.start("--relay", relay, "--insecure", "--e2e", "off");
      const viewers = `http://127.0.0.1:${viewerLink.port}`;
      const chain = new ProductChain(place, product, viewers);
      return new RemoteProduct(chain, bridgeLink, viewerLink, workerd);
    } catch (error) {
      await place[Symbol.asyncDispose]();
      await Promise.all([bridgeLink.stop(), viewerLink.stop(), workerd.end(0)]);
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.chain.stop();
    await Promise.all([this.bridgeLink.stop(), this.viewerLink.stop(), this.#workerd.end(0)]);
  }
}
