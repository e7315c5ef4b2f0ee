// Owns the decision which of two bridges gets the room. Pure.

import type { Hello } from "../../protocol/link.ts";

/** Decides about a valid hello while `current` has the link. */
export function decideTakeover(
  current: { readonly instance: string; readonly epoch: number } | undefined,
  hello: Pick<Hello, "instance" | "epoch">,
): "accept" | "replace" | "ask" {
  if (current === undefined) return "accept";
  const itself = current.instance === hello.instance && hello.epoch > current.epoch;
  return itself ? "replace" : "ask";
}
