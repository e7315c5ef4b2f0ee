// Owns the list of open questions as pure changes: what the bridge says about them. Oldest first.

import type { Approval } from "../../protocol/approval.ts";

export type Questions = readonly Approval[];

/** Which are open, told on joining and when the bridge is back; what else was known is settled. */
export function opened(all: Questions, ids: readonly string[]): Questions {
  return all.filter(({ id }) => ids.includes(id));
}

/** The same list if nothing in it is new: a card is not drawn again by being told twice. */
export function requested(all: Questions, approval: Approval): Questions {
  const known = all.find(({ id }) => id === approval.id);
  if (known && JSON.stringify(known) === JSON.stringify(approval)) return all;
  const others = settled(all, approval.id);
  return [...others, approval].toSorted((one, other) => one.askedAt - other.askedAt);
}

export function settled(all: Questions, id: string): Questions {
  return all.filter((one) => one.id !== id);
}
