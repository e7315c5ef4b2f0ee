// Owns leaving a room for good. When `--new` abandons a workspace, this sends its room an empty
// grant list once, so that the room refuses its links and closes its pages. If the room cannot be
// reached, the links stay valid there, but no bridge serves them.

import { randomBytes } from "node:crypto";
import { FrameType } from "../../protocol/frame-types.ts";
import type { GrantsUpdate } from "../../protocol/grant.ts";
import { toPayload } from "../../protocol/json.ts";
import type { Log } from "../log.ts";
import type { RelayAddress } from "./relay-address.ts";
import type { Credentials } from "./handshake.ts";
import { RelayLink } from "./relay-link.ts";
import type { DialRoute } from "./dial-route.ts";

/** Longer than a room needs to notice that its last link is gone. */
const MAX_WAIT_MS = 12_000;

const NO_GRANTS: GrantsUpdate = { replace: true, add: [], remove: [] };

export interface EndRoomOptions {
  readonly address: RelayAddress;
  readonly route: DialRoute;
  /** Credentials of the abandoned workspace. */
  readonly credentials: Credentials;
  readonly log: Log;
}

/** Resolves when the room has the empty list, or could not be reached. */
export async function endRoom({ address, route, credentials, log }: EndRoomOptions): Promise<void> {
  const about = `former room ${credentials.workspace}`;
  const outcome = await new Promise<string>((resolve) => {
    const link = new RelayLink(
      address,
      route,
      credentials,
      randomBytes(16).toString("hex"),
      {
        onUp: () => {
          link.send(FrameType.grants, 0, toPayload(NO_GRANTS));
          void link.confirmed().then(() => end("its links have ended"));
        },
        onFrame: () => {},
        onDown: (reason) => end(`could not end its links: ${reason}`),
        onRefused: (_code, reason) => end(`could not end its links: ${reason}`),
        onFailed: ({ reason }) => end(`could not end its links: ${reason}`),
        hasUnconfirmed: () => false,
      },
      { ...log, info: (message) => log.debug(`${about}: ${message}`) },
    );
    const timer = setTimeout(() => end("could not end its links: no answer"), MAX_WAIT_MS);
    timer.unref();
    const end = (message: string) => {
      clearTimeout(timer);
      resolve(message);
      link.stop();
    };
    link.start();
  });
  log.info(`${about}: ${outcome}`);
}
