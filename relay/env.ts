// Owns the Worker's configuration. The names are the bindings in wrangler.toml.

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
  /**
   * The built page as a folder, for relays on this machine: saves a Worker between request and
   * file.
   */
  readonly FILES?: Fetcher;
  /** The folder with the rooms' storage; only for relays that keep it on a disk. */
  readonly ROOM_FILES?: Fetcher;
  /** A secret that a bridge must present to claim a workspace on a public relay. */
  readonly RELAY_KEY?: string | null;
  /** Set only by the embedded relay: it listens on loopback, on this port. */
  readonly LOOPBACK_PORT?: string;
  /**
   * Set beside LOOPBACK_PORT when a tunnel leads to this relay: the tunnel's host name, "" until it
   * is known. Others connect through the tunnel, so a claim needs RELAY_KEY even on loopback.
   */
  readonly TUNNEL_HOST?: string;
  /** Comma-separated origins whose pages may use a public relay, in addition to its own. */
  readonly ALLOWED_ORIGINS?: string;
}
