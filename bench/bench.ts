// Owns what the rows measure with: each chain is started when the first row wants it, and ended with
// the run, the last one first.

import { BareChain } from "./bare.ts";
import type { Chain, OpenTerminal } from "./chain.ts";
import { toViewed } from "./chain.ts";
import type { Sample } from "./input-file.ts";
import { makeSample } from "./input-file.ts";
import { findPeers } from "./peers/peers.ts";
import type { PeersHere } from "./peers/peers.ts";
import type { Plan } from "./plan.ts";
import { BULK_BYTES } from "./plan.ts";
import { ProductChain } from "./product.ts";
import { BARE_LIKE_PAGE } from "./rendition.ts";
import { Role } from "./role.ts";
import type { Viewed, ViewerAnswer, ViewerRequest } from "./viewer/viewing.ts";

type Ending = () => Promise<void> | void;
type AnswerTo<M> = Extract<ViewerAnswer, { measure: M }>;

export class Bench {
  readonly plan: Plan;
  readonly folder: string;
  readonly peers: PeersHere;
  readonly notes: string[] = [];
  readonly #endings: Ending[] = [];
  #product: Promise<ProductChain> | undefined;
  #bare: Promise<BareChain> | undefined;
  #viewer: Role | undefined;
  #crowd: Role | undefined;
  #sample: Sample | undefined;

  constructor(plan: Plan, folder: string, peersFolder: string | undefined) {
    this.plan = plan;
    this.folder = folder;
    this.peers = findPeers(peersFolder, folder);
    this.notes.push(...this.peers.skipped);
  }

  /** A line below the table. */
  note(text: string): void {
    this.notes.push(text);
  }

  product(): Promise<ProductChain> {
    this.#product ??= this.own(ProductChain.start(), (product) => product.stop());
    return this.#product;
  }

  bare(): Promise<BareChain> {
    this.#bare ??= this.own(BareChain.start(this.folder), (bare) => bare.stop());
    return this.#bare;
  }

  /** As the page sees it, and the bare chain with the same kind of messages. */
  async pair(): Promise<readonly [Chain, Chain]> {
    return [(await this.product()).seenBy(), (await this.bare()).as(BARE_LIKE_PAGE)];
  }

  get viewer(): Role {
    if (this.#viewer?.isRunning !== true) this.#viewer = this.role("viewer");
    return this.#viewer;
  }

  get crowd(): Role {
    if (this.#crowd?.isRunning !== true) this.#crowd = this.role("crowd");
    return this.#crowd;
  }

  /** Of 50 MB. */
  get sample(): Sample {
    this.#sample ??= makeSample(this.folder, BULK_BYTES);
    return this.#sample;
  }

  role(name: string, ...args: string[]): Role {
    const role = new Role(name, ...args);
    this.#endings.push(() => role.end());
    return role;
  }

  /** Ends it with the run, also when it is not there yet by then. */
  async own<T>(starting: Promise<T>, end: (one: T) => Promise<void> | void): Promise<T> {
    this.#endings.push(() =>
      starting.then(end, () => {
        // It never was.
      }),
    );
    return await starting;
  }

  /** What a viewer of terminals with these programs measured; they are closed behind it. */
  async view<M extends ViewerRequest["measure"]>(
    measure: M,
    chain: Chain,
    commands: readonly (readonly string[])[],
    request: (of: Viewed, beside?: Viewed) => Extract<ViewerRequest, { measure: M }>,
    measured: () => void = () => {},
  ): Promise<AnswerTo<M> | AnswerTo<"skipped" | "stuck">> {
    const terminals: OpenTerminal[] = [];
    try {
      for (const command of commands) terminals.push(await chain.open(command));
      const [of, beside] = terminals.map(toViewed);
      if (of === undefined) throw new Error("there is nothing to view");
      const answer = await this.viewer.ask<ViewerAnswer>(request(of, beside));
      measured();
      if ("error" in answer) throw new Error(`${chain.name}, ${measure}: ${answer.error}`);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- answers are to requests
      return answer as AnswerTo<M> | AnswerTo<"skipped" | "stuck">;
    } finally {
      for (const terminal of terminals) await terminal.close();
    }
  }

  async end(): Promise<void> {
    for (let end = this.#endings.pop(); end !== undefined; end = this.#endings.pop()) await end();
  }
}
