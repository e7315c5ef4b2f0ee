// Owns the product as a chain: the built command line in folders of its own, as a user starts it.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listChildren } from "../bridge/processes/process-record.ts";
import { compact } from "../protocol/compact.ts";
import { MAX_PEERS, MAX_PEERS_PER_GRANT } from "../protocol/limits.ts";
import type { Product } from "../test/support/product.ts";
import { Place } from "../test/support/product.ts";
import type { Chain, OpenTerminal } from "./chain.ts";
import type { ProductRendition } from "./rendition.ts";
import { PAGE } from "./rendition.ts";
import type { Acking } from "./viewer/viewing.ts";

export interface Seeing {
  readonly name?: string;
  readonly rendition?: ProductRendition;
  /** One that never acks, like a plain client, gets everything. */
  readonly acks?: Acking;
}

export class ProductChain {
  readonly #place: Place;
  readonly product: Product;
  /** Where viewers dial, and operations go, when that is not where the bridge does. */
  readonly #viewers: string | undefined;
  #crowd: Promise<readonly string[]> | undefined;

  constructor(place: Place, product: Product, viewers?: string) {
    this.#place = place;
    this.product = product;
    this.#viewers = viewers;
  }

  static async start(...flags: string[]): Promise<ProductChain> {
    const place = new Place();
    try {
      return new ProductChain(place, await place.start(...flags));
    } catch (error) {
      await place[Symbol.asyncDispose]();
      throw error;
    }
  }

  get bridge(): number {
    return this.product.pid;
  }

  get host(): number {
    return childRunning(this.product.pid, "pty-host.js");
  }

  get workerd(): number {
    const [workerd = 0] = listChildren(childRunning(this.product.pid, "embedded-relay.js"));
    return workerd;
  }

  /** As a viewer of this kind meets it; the page's kind unless said otherwise. */
  seenBy({ name = "product", rendition = PAGE, acks = "eager" }: Seeing = {}): Chain {
    return {
      name,
      processes: () => ({ "pty host": this.host, bridge: this.bridge, workerd: this.workerd }),
      open: (command) => this.#open(command, rendition, acks),
      crowdProtocols: async () => {
        this.#crowd ??= this.#mintForCrowd();
        return (await this.#crowd).map((token) => [rendition.subprotocol, token]);
      },
    };
  }

  /** The same while its terminals are recorded; `took` hears which file each left. */
  recorded(name: string, took: (file: string) => void): Chain {
    const chain = this.seenBy({ name });
    return {
      ...chain,
      open: async (command) => {
        const terminal = await chain.open(command);
        const file = join(this.#place.folder, `${terminal.id}.cast`);
        await this.#run("record", terminal.id, "--out", file);
        return {
          ...terminal,
          close: async () => {
            await this.#run("record", terminal.id, "--stop");
            took(file);
            rmSync(file);
            await terminal.close();
          },
        };
      },
    };
  }

  /** With a terminal that runs this, as a page of the edit link shows it. */
  async showing(
    command: readonly string[],
    visit: (address: string) => Promise<void>,
  ): Promise<void> {
    const { links, relay } = this.product.ready;
    const terminal = await this.#open(command, PAGE, "never");
    try {
      await visit(links.edit.replace(relay, this.#viewers ?? relay));
    } finally {
      await terminal.close();
    }
  }

  async stop(): Promise<void> {
    await this.#place[Symbol.asyncDispose]();
  }

  async #open(
    command: readonly string[],
    { dialect, subprotocol }: ProductRendition,
    acks: Acking,
  ): Promise<OpenTerminal> {
    const { endpoints, tokens, relay } = this.product.ready;
    const viewers = this.#viewers ?? relay;
    const { id } = await this.#ask(viewers, "/pty/spawn", "POST", JSON.stringify({ command }));
    return {
      id,
      url: endpoints.peer.replace(relay.replace(/^http/, "ws"), viewers.replace(/^http/, "ws")),
      protocols: [subprotocol, tokens.edit],
      dialect,
      acks,
      close: async () => {
        await this.#ask(viewers, `/pty/${id}`, "DELETE");
      },
    };
  }

  async #run(...args: string[]): Promise<void> {
    const { code, stderr } = await this.#place.run(args);
    if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  }

  /** A link is good for a number of people; a room for more. */
  async #mintForCrowd(): Promise<readonly string[]> {
    const tokens: string[] = [];
    while (tokens.length * MAX_PEERS_PER_GRANT < MAX_PEERS) {
      const made = await this.#place.run([
        "share",
        "--role",
        "edit",
        "--json",
        ...this.#place.code,
      ]);
      if (made.code !== 0) throw new Error(`share: ${made.stderr}`);
      const { token }: { token: string } = JSON.parse(made.stdout);
      tokens.push(token);
    }
    return tokens;
  }

  async #ask(origin: string, path: string, method: string, body?: string): Promise<{ id: string }> {
    const { workspace, tokens } = this.product.ready;
    const response = await fetch(`${origin}/w/${workspace}${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.edit}` },
      ...compact({ body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? { id: "" } : JSON.parse(text);
  }
}

function childRunning(parent: number, script: string): number {
  const runs = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(script);
  return listChildren(parent).find(runs) ?? 0;
}
