// Owns what the Worker is configured with. Names here are the bindings in wrangler.toml.

import type { WorkspaceRoom } from "./room/room.ts";
import type * as worker from "./worker.ts";

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof worker;
    }
  }
}

export interface Env {
  readonly WORKSPACE: DurableObjectNamespace<WorkspaceRoom>;
  /** The built page, on Cloudflare. */
  readonly ASSETS?: Fetcher;
  /** The built page, as a folder: the embedded relay's. Saves every request a Worker in between. */
  readonly FILES?: Fetcher;
  /** The folder of the rooms' storage, of relays on a machine's disk. */
  readonly ROOM_FILES?: Fetcher;
  /** A secret that a bridge must present to claim a workspace on a public relay. */
  readonly RELAY_KEY?: string | null;
  /** Set by the embedded relay alone: this relay is on loopback, on this port. */
  readonly LOOPBACK_PORT?: string;
  /**
   * Set beside LOOPBACK_PORT when a tunnel leads here: the host that it is asked by, "" until that is
   * known. Others come by that way, so being on loopback counts for nothing: a claim needs RELAY_KEY.
   */
  readonly TUNNEL_HOST?: string;
  /** Comma-separated origins, beside the relay's own, whose pages may use a public relay. */
  readonly ALLOWED_ORIGINS?: string;
}
