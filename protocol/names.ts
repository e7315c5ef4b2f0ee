// Owns what people and browsers are called, and where a browser may keep something. Pure: the page has
// it without the schemas.

import { isSeen } from "./title.ts";

/** As long as a name is on everybody's screen. */
export const MAX_NAME_CHARS = 40;

/** A browser's own, made by the page and told to nobody but the bridge. */
export const DEVICE_PATTERN = /^[0-9A-Za-z_-]{16,64}$/;

/** What an agent is called whose token was made without a label. */
export const UNNAMED_AGENT = "agent link";

/** By which a request of a page says from which browser it comes. */
export const DEVICE_HEADER = "x-pairpty-device";

/** Why a request of a browser that was sent away is refused: a page knows by it that it still is. */
export const SENT_AWAY_SENTENCE = "The host sent this browser away";

/** On one line, nothing that moves a cursor or turns text around; undefined where nothing to see is left. */
export function cleanName(given: string | undefined): string | undefined {
  const plain = (given ?? "").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}]/gu, " ");
  const oneLine = plain.replaceAll(/\s+/g, " ").trim();
  const cut = Array.from(oneLine).slice(0, MAX_NAME_CHARS).join("").trim();
  return isSeen(cut) ? cut : undefined;
}

/** `Ada (view link)`: a name that somebody chose never stands without the label of the link. */
export function calledBy(name: string | undefined, label: string): string {
  return name === undefined || name === label ? label : `${name} (${label})`;
}

/** What people also say for a name of several words. */
export function firstWord(name: string | undefined): string | undefined {
  return name?.split(/\s+/u, 1)[0];
}

/** Names and ports that somebody else may have tomorrow: nothing is kept there for later. */
const PASSING_HOSTS =
  /(^|\.)(trycloudflare\.com|ngrok-free\.(app|dev)|ngrok\.(app|dev|io)|lhr\.life|localhost\.run|serveo\.net|loca\.lt|pinggy\.link|localhost)$/;

export const WHY_NOT_KEPT = {
  loopback:
    "This page is on the host machine's own address, and another program may get its port later.",
  passing: "This page's address belongs to a quick tunnel: somebody else may get it later.",
  plain: "This page is not encrypted, so the browser does not keep the link.",
} as const;

/** Whether only the machine itself can open an address. */
export function isLoopback(address: string): boolean {
  const [, host] = partsOf(address);
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

/** Whether this address ends with the tunnel, and somebody else may get it later. */
export function isPassing(origin: string): boolean {
  const [, host] = partsOf(origin);
  return !isLoopback(origin) && PASSING_HOSTS.test(host);
}

/** Why nothing may be remembered at an origin; undefined where it may. */
export function whyNotKept(origin: string): string | undefined {
  const [scheme, host] = partsOf(origin);
  if (isLoopback(origin)) return WHY_NOT_KEPT.loopback;
  if (scheme !== "https") return WHY_NOT_KEPT.plain;
  return PASSING_HOSTS.test(host) ? WHY_NOT_KEPT.passing : undefined;
}

function partsOf(address: string): readonly [scheme: string, host: string] {
  const [, scheme = "", host = ""] = /^(https?):\/\/(\[[^\]]*\]|[^:/]+)/.exec(address) ?? [];
  return [scheme, host];
}
