// Resolves which panel an operation or tool addresses, by id or by last use. Pure state.

import type { PanelErrorCode } from "../../protocol/panel.ts";
import type { PanelPlace } from "./scope.ts";
import { keyOf, sessionOf } from "./scope.ts";

export interface Target {
  readonly panelId?: string | undefined;
  readonly sessionId?: string | undefined;
}

export type Found =
  | { readonly ok: true; readonly place: PanelPlace }
  | { readonly ok: false; readonly code: PanelErrorCode; readonly error: string };

export class Targets {
  /** By key, in order of use; the last used comes last. */
  readonly #used = new Map<string, PanelPlace>();

  /** Marks a panel as opened or written to. */
  used(place: PanelPlace): void {
    const key = keyOf(place);
    this.#used.delete(key);
    this.#used.set(key, place);
  }

  closed(place: PanelPlace): void {
    this.#used.delete(keyOf(place));
  }

  /** Finds the target; `running` are the panels that have a terminal now. */
  find({ panelId, sessionId }: Target, running: readonly PanelPlace[]): Found {
    const inSession = (place: PanelPlace) =>
      sessionId === undefined || sessionOf(place) === sessionId;
    if (panelId === undefined) {
      const active = [...this.#used.values()].findLast(inSession);
      return active === undefined ? NONE_ACTIVE : { ok: true, place: active };
    }
    const named = running.filter((place) => place.panelId === panelId && inSession(place));
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

const NONE_ACTIVE: Found = {
  ok: false,
  code: "terminal_not_found",
  error: "No panelId was given and no panel is active; open one or give a panelId",
};
