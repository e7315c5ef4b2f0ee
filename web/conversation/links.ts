// Owns which link targets the page opens. Pure. Any other target from an agent stays text.

import { seen } from "../session/lines.ts";

const OPENED = new Set(["http:", "https:", "mailto:"]);

/** Maximum length of a shown target. */
const MOST_CHARS = 72;

export interface Target {
  readonly href: string;
  /** The displayed form, with the host as browsers resolve it. */
  readonly shown: string;
}

/** Returns the target; undefined for other schemes, relative addresses and invalid ones. */
export function targetOf(href: string): Target | undefined {
  // Browsers drop control characters, which could join separate parts.
  if (/\p{Cc}/u.test(href)) return undefined;
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (!OPENED.has(url.protocol)) return undefined;
  if (url.protocol !== "mailto:" && url.host === "") return undefined;
  // Credentials before the host serve only to mislead.
  url.username = "";
  url.password = "";
  return { href: url.href, shown: shorten(url) };
}

/** Whether the link's text is its target. */
export function says(text: string, { href, shown }: Target): boolean {
  const plain = text.trim();
  return [href, shown, href.replace(/\/$/, ""), href.replace(/^mailto:/, "")].includes(plain);
}

/** Shortens a target but keeps the whole host, which shows where the link leads. */
function shorten({ href, protocol, host }: URL): string {
  const whole = href.replace(/\/$/, "");
  const most = Math.max(MOST_CHARS, `${protocol}//${host}`.length + 1);
  return seen(whole.length <= most ? whole : `${whole.slice(0, most)}…`);
}
