// Owns the set-up that tests of the page share: the product for all of them, visitors for each, and
// no terminal left open for the next.

import { createServer } from "node:net";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { Visitor } from "./browser.ts";
import type { Product } from "./product.ts";
import { Place } from "./product.ts";

/** Below those that a system gives to whoever asks for any. */
const FIRST_PORT = 21_000;
const PORTS = 200;
let own: number | undefined;

/** The same for all files of a process: a browser keeps the page's compiled files by its address. */
async function port(): Promise<number> {
  own ??= FIRST_PORT + (process.pid % PORTS);
  for (let tries = 0; tries < PORTS && !(await isFree(own)); tries++)
    own = FIRST_PORT + ((own + 1 - FIRST_PORT) % PORTS);
  return own;
}

async function isFree(wanted: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(wanted, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

export class PageRun {
  readonly #browser: Browser | undefined;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #visitors: Visitor[] = [];
  #place: Place | undefined;
  #product: Product | undefined;

  /** Registers with the suite that it is made in. */
  constructor(browser: Browser | undefined, environment: NodeJS.ProcessEnv = {}) {
    this.#browser = browser;
    this.#environment = environment;
    beforeAll(() => this.start());
    afterEach(() => this.#clear());
    afterAll(() => this.#place?.[Symbol.asyncDispose]());
  }

  get place(): Place {
    this.#place ??= new Place(this.#environment);
    return this.#place;
  }

  get product(): Product {
    if (this.#product === undefined) throw new Error("the product has not been started");
    return this.#product;
  }

  /** Starts the product, the first time or after it was killed. */
  async start(): Promise<void> {
    // Whoever is back has the port of before.
    const flags = this.#product === undefined ? ["--port", String(await port())] : [];
    this.#product = await this.place.start(...flags);
  }

  async visit(
    link = this.product.ready.links.edit,
    options: BrowserContextOptions = {},
  ): Promise<Visitor> {
    const visitor = await Visitor.come(this.#browser, link, options);
    this.#visitors.push(visitor);
    return visitor;
  }

  async #clear(): Promise<void> {
    const ids = new Set<string>();
    for (const visitor of this.#visitors.splice(0)) {
      if (visitor.isGone || visitor.page.isClosed()) continue;
      for (const id of await visitor.terminals()) ids.add(id);
      await visitor.leave();
    }
    for (const id of ids) await this.product.http(`/pty/${id}`, { method: "DELETE" });
  }
}
