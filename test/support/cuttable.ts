// Owns a TCP proxy whose connections a test can cut, stall or refuse.

import type { AddressInfo, Server, Socket } from "node:net";
import { createConnection, createServer } from "node:net";

export class CuttableProxy {
  readonly #server: Server;
  readonly #pairs = new Set<[Socket, Socket]>();
  #refusing = false;
  /** How often somebody came while it took no connections. */
  refusals = 0;
  #held: Promise<void> | undefined;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      if (this.#refusing) {
        this.refusals += 1;
        return void near.destroy();
      }
      const far = createConnection(target, "127.0.0.1");
      const pair: [Socket, Socket] = [near, far];
      this.#pairs.add(pair);
      const end = () => {
        near.destroy();
        far.destroy();
        this.#pairs.delete(pair);
      };
      for (const side of pair) {
        side.setNoDelay(true);
        side.on("error", end);
        side.on("close", end);
      }
      far.pipe(near);
      if (this.#held === undefined) near.pipe(far);
      else void this.#held.then(() => near.pipe(far));
      return undefined;
    });
  }

  /** From now on connections are taken and nothing is heard of them, until what this returns is called. */
  hold(): () => void {
    let release = () => {};
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    return () => {
      this.#held = undefined;
      release();
    };
  }

  static async start(target: number, host = "127.0.0.1"): Promise<CuttableProxy> {
    const proxy = new CuttableProxy(target);
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, host, () => resolve());
    });
    return proxy;
  }

  get port(): number {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Ends every connection as a broken cable would, without a good-bye. */
  cut(): void {
    for (const pair of this.#pairs) for (const side of pair) side.resetAndDestroy();
  }

  /** Takes no more connections until allowed again. */
  refuse(refusing: boolean): void {
    this.#refusing = refusing;
  }

  /** Carries nothing more in either direction, but ends nothing either. */
  stall(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far);
      far.unpipe(near);
      near.pause();
      far.pause();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
