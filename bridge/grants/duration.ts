// Owns durations such as `2h` and `30d`: parsing them, and how long a link lasts by default.

import type { Role } from "../../protocol/grant.ts";

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** An Edit link is a shell, so a forgotten one ends within a day. */
const DEFAULT_LIFETIME_DAYS: Readonly<Record<Role, number>> = { view: 30, edit: 1, agent: 30 };

/** Returns how long a link or token of `pairpty share` lasts unless its maker says otherwise. */
export function getDefaultLifetimeMs(role: Role): number {
  return DEFAULT_LIFETIME_DAYS[role] * 86_400_000;
}

const LONGEST_MS = 3_650 * 86_400_000;

/** Returns milliseconds; undefined if the text is not a duration from 1 s to ten years. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})([smhd])$/.exec(text.trim());
  const unit = UNITS[match?.[2] ?? ""];
  if (match === null || unit === undefined) return undefined;
  const milliseconds = Number(match[1]) * unit;
  return milliseconds >= 1_000 && milliseconds <= LONGEST_MS ? milliseconds : undefined;
}
