// Owns the words below a link that nobody elsewhere can open. Pure.

import { isLoopback } from "../../../protocol/names.ts";

/** Undefined of a link that others can open. */
export function onlyHereWords(link: string): string | undefined {
  if (!isLoopback(link)) return undefined;
  return "Only this machine can open it. For somebody elsewhere, stop pairpty and start it with `pairpty --tunnel`.";
}
