// Owns which targets of links a page opens. Pure. All else an agent names stays text.

import { seen } from "../session/lines.ts";

const OPENED = new Set(["http:", "https:", "mailto:"]);

/** A target is shown up to here. */
const MOST_CHARS = 72;

export interface Target {
  readonly href: string;
  /** As it is shown: the name of a host in the letters that a browser asks for. */
  readonly shown: string;
}

/** Undefined where nothing is opened: another scheme, a part of an address, or none at all. */
export function targetOf(href: string): Target | undefined {
  // A browser drops these, and so might join what was apart.
  if (/\p{Cc}/u.test(href)) return undefined;
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (!OPENED.has(url.protocol)) return undefined;
  if (url.protocol !== "mailto:" && url.host === "") return undefined;
  // A name and a password in front of the host are there to mislead.
  url.username = "";
  url.password = "";
  return { href: url.href, shown: shorten(url) };
}

/** Whether the text says where the link goes. */
export function says(text: string, { href, shown }: Target): boolean {
  const plain = text.trim();
  return [href, shown, href.replace(/\/$/, ""), href.replace(/^mailto:/, "")].includes(plain);
}

/** The host stays whole: it says who is asked. */
function shorten({ href, protocol, host }: URL): string {
  const whole = href.replace(/\/$/, "");
  const most = Math.max(MOST_CHARS, `${protocol}//${host}`.length + 1);
  return seen(whole.length <= most ? whole : `${whole.slice(0, most)}…`);
}
