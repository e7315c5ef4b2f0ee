// Owns the product as an agent meets it: started as a user does, reached by plain fetch with the
// token of its ready line, over a connection that is kept.

import { Place } from "../../test/support/product.ts";
import type { Post, Side } from "./side.ts";
import { historyIsThere, historyProgram, pairptySide } from "./side.ts";

export const THROUGH_RELAY = "through the relay";

export class ThroughRelay {
  readonly #place = new Place();

  /** Stop it even when this fails. */
  async start(historyFile: string): Promise<Side> {
    const product = await this.#place.start();
    const { endpoints, tokens } = product.ready;
    const authorization = `Bearer ${tokens.agent}`;
    const post: Post = ({ headers, ...rest }) =>
      fetch(endpoints.mcp, { ...rest, headers: { ...headers, authorization } });
    const { id } = await product.open({ command: historyProgram(historyFile) });
    await historyIsThere(post, id);
    return pairptySide(THROUGH_RELAY, post, id);
  }

  async stop(): Promise<void> {
    await this.#place[Symbol.asyncDispose]();
  }
}
