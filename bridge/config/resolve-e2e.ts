// Owns whether a room is end-to-end encrypted. Pure: the setting and the way to the relay decide,
// never what a relay says.

export const E2E_SETTINGS = ["auto", "on", "off"] as const;
export type E2eSetting = (typeof E2E_SETTINGS)[number];

/** The setting's default, and the only place that names it. */
export const DEFAULT_E2E: E2eSetting = "auto";

export interface RelayChoice {
  /** A relay that is not the bridge's own; undefined for the embedded one. */
  readonly relay: string | undefined;
  /** A tunnel to the embedded relay. */
  readonly tunnel: string | undefined;
}

/** Returns whether the room is sealed. `auto` leaves out only what stays on this machine. */
export function resolveE2e(setting: E2eSetting, { relay, tunnel }: RelayChoice): boolean {
  if (setting !== "auto") return setting === "on";
  return relay !== undefined || tunnel !== undefined;
}
