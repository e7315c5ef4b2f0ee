// Formats the note below a link that works only on this machine. Pure.

import { isLoopback } from "../../../protocol/names.ts";

/** Returns the note; undefined for a link that others can open. */
export function formatLocalLinkNote(link: string): string | undefined {
  if (!isLoopback(link)) return undefined;
  return "This link works only on this machine. To invite someone elsewhere, stop pairpty and run `pairpty --tunnel`.";
}
