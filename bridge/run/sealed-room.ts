// Owns what makes a run's room a sealed one: its key, the links that name it, and the end of those
// whose key is gone.

import type { GrantTable, SealLink } from "../grants/grant-table.ts";
import type { HostKey } from "../sealed/host-key.ts";
import { lostKeyMessage } from "../sealed/host-key.ts";
import { createSealedLink } from "../sealed/new-link.ts";

/** What the room's handshakes need. */
export interface SealedRoom {
  readonly hostKey: HostKey;
  readonly workspace: string;
  /** Returns the origins under which links were printed. */
  readonly origins: () => readonly string[];
}

/** Returns how the grant table makes sealed links; undefined in a plain room, which makes none. */
export function createLinkSealer(
  workspace: string,
  key: HostKey | undefined,
): SealLink | undefined {
  if (key === undefined) return undefined;
  return ({ id, secret }) => createSealedLink({ id, secret, workspace, hostKey: key.publicKey });
}

/** Ends links that name an earlier key. Returns what to report, if there were any. */
export function endLinksOfLostKey(
  key: HostKey | undefined,
  grants: Pick<GrantTable, "endSealed">,
): string | undefined {
  return key?.isNew === true ? lostKeyMessage(key, grants.endSealed()) : undefined;
}
