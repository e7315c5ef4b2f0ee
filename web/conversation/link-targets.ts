// Owns which link targets the page opens. Pure. Any other target from an agent stays text.

import { showInvisible } from "../session/visible-text.ts";

const OPENABLE_SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** Maximum length of a shown target. */
const MAX_CHARS = 72;

export interface LinkTarget {
  readonly href: string;
  /** The displayed form, with the host as browsers resolve it. */
  readonly shown: string;
}

/** Returns the target; undefined for other schemes, relative addresses and invalid ones. */
export function findTarget(href: string): LinkTarget | undefined {
  // Browsers drop control characters, which could join separate parts.
  if (/\p{Cc}/u.test(href)) return undefined;
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (!OPENABLE_SCHEMES.has(url.protocol)) return undefined;
  if (url.protocol !== "mailto:" && url.host === "") return undefined;
  // Credentials before the host serve only to mislead.
  url.username = "";
  url.password = "";
  return { href: url.href, shown: shortenTarget(url) };
}

/** Whether the link's text is its target. */
export function isTargetText(text: string, { href, shown }: LinkTarget): boolean {
  const plain = text.trim();
  return [href, shown, href.replace(/\/$/, ""), href.replace(/^mailto:/, "")].includes(plain);
}

/** Shortens a target but keeps the whole host, which shows where the link leads. */
function shortenTarget({ href, protocol, host }: URL): string {
  const whole = href.replace(/\/$/, "");
  const maxChars = Math.max(MAX_CHARS, `${protocol}//${host}`.length + 1);
  return showInvisible(whole.length <= maxChars ? whole : `${whole.slice(0, maxChars)}…`);
}
