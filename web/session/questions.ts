// Owns pure changes to the list of open questions, as the bridge reports them. Oldest first.

import type { Approval } from "../../protocol/approval.ts";

export type Questions = readonly Approval[];

/** Applies the ids of open questions, sent on joining and when the bridge is back. */
export function keepOpen(all: Questions, ids: readonly string[]): Questions {
  return all.filter(({ id }) => ids.includes(id));
}

/** Adds or updates a question; returns the same list if nothing changed, to avoid a redraw. */
export function addQuestion(all: Questions, approval: Approval): Questions {
  const known = all.find(({ id }) => id === approval.id);
  if (known && JSON.stringify(known) === JSON.stringify(approval)) return all;
  const others = removeQuestion(all, approval.id);
  return [...others, approval].toSorted((one, other) => one.askedAt - other.askedAt);
}

export function removeQuestion(all: Questions, id: string): Questions {
  return all.filter((one) => one.id !== id);
}
