// Owns leaving a room for good: the room of a workspace that `--new` gave up is told once that no
// grant is left, so that its links are refused and its pages closed. A room that is not reached
// keeps its links, and they lead to nobody: no bridge serves it.

import { randomBytes } from "node:crypto";
import { FrameType } from "../../protocol/frame-types.ts";
import type { GrantsUpdate } from "../../protocol/grant.ts";
import { toPayload } from "../../protocol/json.ts";
import type { Log } from "../log.ts";
import type { RelayAddress } from "./address.ts";
import type { Credentials } from "./handshake.ts";
import { Link } from "./link.ts";
import type { Route } from "./route.ts";

/** Longer than a room takes to find out that its last link is gone. */
const MOST_MS = 12_000;

const NOBODY: GrantsUpdate = { replace: true, add: [], remove: [] };

export interface Leaving {
  readonly address: RelayAddress;
  readonly route: Route;
  /** Of the workspace that is given up. */
  readonly credentials: Credentials;
  readonly log: Log;
}

/** Resolves when the room knows, or it was not to be told. */
export async function endRoom({ address, route, credentials, log }: Leaving): Promise<void> {
  const about = `former room ${credentials.workspace}`;
  const outcome = await new Promise<string>((resolve) => {
    const link = new Link(
      address,
      route,
      credentials,
      randomBytes(16).toString("hex"),
      {
        up: () => {
          link.send(FrameType.grants, 0, toPayload(NOBODY));
          void link.confirmed().then(() => end("its links have ended"));
        },
        frame: () => {},
        down: (reason) => end(`not told that its links have ended: ${reason}`),
        refused: (_code, reason) => end(`not told that its links have ended: ${reason}`),
        failed: ({ reason }) => end(`not told that its links have ended: ${reason}`),
        underWay: () => false,
      },
      { ...log, info: (words) => log.debug(`${about}: ${words}`) },
    );
    const timer = setTimeout(() => end("not told that its links have ended: no answer"), MOST_MS);
    timer.unref();
    const end = (words: string) => {
      clearTimeout(timer);
      resolve(words);
      link.stop();
    };
    link.start();
  });
  log.info(`${about}: ${outcome}`);
}
