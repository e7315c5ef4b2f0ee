// Owns which links of a terminal may be opened, and the parts of them to show first. A program's link text can
// differ from its target. Pure.

export interface TerminalLink {
  readonly href: string;
  /** Host of the request or recipient of the mail: the part that matters. */
  readonly target: string;
  /** User name and password in the URL, which may look like a host; "" for none. */
  readonly credentials: string;
  /** The parts of `href` before and after `target`. */
  readonly before: string;
  readonly after: string;
}

const ALLOWED_SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** Parses a link; undefined for schemes that the page must not open, such as `file:` and `javascript:`. */
export function parseLink(uri: string): TerminalLink | undefined {
  const url = parseUrl(uri);
  if (!url || !ALLOWED_SCHEMES.has(url.protocol)) return undefined;
  // Normalised by the browser: a host with non-Latin letters shows as xn--.
  const { href } = url;
  const target = url.protocol === "mailto:" ? url.pathname : url.host;
  if (target === "") return undefined;
  // Skips the user name and password, which may look like a host.
  const credentials = [url.username, url.password].filter(Boolean).join(":");
  const start = credentials === "" ? url.protocol.length : href.indexOf("@");
  const at = href.indexOf(target, start);
  return {
    href,
    target,
    credentials,
    before: href.slice(0, at),
    after: href.slice(at + target.length),
  };
}

/** Shortens text in the middle; the end of a host determines who owns it. */
export function shortenMiddle(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const start = Math.floor(chars / 4);
  return `${text.slice(0, start)}…${text.slice(text.length - (chars - start - 1))}`;
}

function parseUrl(uri: string): URL | undefined {
  try {
    return new URL(uri);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}
