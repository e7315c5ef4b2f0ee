// Resolves which panel an operation or tool addresses, by id or by last use. Pure state.

import type { PanelErrorCode } from "../../protocol/panel.ts";
import type { PanelAddress } from "./panel-address.ts";
import { toPanelKey, findSessionId } from "./panel-address.ts";

export interface PanelTarget {
  readonly panelId?: string | undefined;
  readonly sessionId?: string | undefined;
}

export type TargetResult =
  | { readonly ok: true; readonly place: PanelAddress }
  | { readonly ok: false; readonly code: PanelErrorCode; readonly error: string };

export class PanelTargets {
  /** Keyed by panel, least recently used first. */
  readonly #used = new Map<string, PanelAddress>();

  /** Marks a panel as opened or written to. */
  markUsed(address: PanelAddress): void {
    const key = toPanelKey(address);
    this.#used.delete(key);
    this.#used.set(key, address);
  }

  remove(address: PanelAddress): void {
    this.#used.delete(toPanelKey(address));
  }

  /** Finds the target; `running` are the panels that have a terminal now. */
  find({ panelId, sessionId }: PanelTarget, running: readonly PanelAddress[]): TargetResult {
    const inSession = (address: PanelAddress) =>
      sessionId === undefined || findSessionId(address) === sessionId;
    if (panelId === undefined) {
      const active = [...this.#used.values()].findLast(inSession);
      return active === undefined ? NO_ACTIVE_PANEL : { ok: true, place: active };
    }
    const named = running.filter((address) => address.panelId === panelId && inSession(address));
    const [only, ...others] = named;
    if (only === undefined) {
      const error = `Panel ${panelId} has no running terminal; open it first`;
      return { ok: false, code: "terminal_not_ready", error };
    }
    if (others.length > 0) {
      const error = `Panel ${panelId} is open in ${named.length} scopes; name its sessionId`;
      return { ok: false, code: "invalid_arguments", error };
    }
    return { ok: true, place: only };
  }
}

const NO_ACTIVE_PANEL: TargetResult = {
  ok: false,
  code: "terminal_not_found",
  error: "No panelId was given and no panel is active; open one or give a panelId",
};
