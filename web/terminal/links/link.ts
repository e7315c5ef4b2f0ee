// Owns which links of a terminal may be opened, and the parts of them to show first. A program's link text can
// differ from its target. Pure.

export interface Link {
  readonly href: string;
  /** Host of the request or recipient of the mail: the part that matters. */
  readonly to: string;
  /** User name and password in the URL, which may look like a host; "" for none. */
  readonly signsInAs: string;
  /** The parts of `href` before and after `to`. */
  readonly before: string;
  readonly after: string;
}

const ALLOWED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** Parses a link; undefined for schemes that the page must not open, such as `file:` and `javascript:`. */
export function linkOf(uri: string): Link | undefined {
  const url = parsed(uri);
  if (!url || !ALLOWED.has(url.protocol)) return undefined;
  // Normalised by the browser: a host with non-Latin letters shows as xn--.
  const { href } = url;
  const to = url.protocol === "mailto:" ? url.pathname : url.host;
  if (to === "") return undefined;
  // Skips the user name and password, which may look like a host.
  const signsInAs = [url.username, url.password].filter(Boolean).join(":");
  const start = signsInAs === "" ? url.protocol.length : href.indexOf("@");
  const at = href.indexOf(to, start);
  return { href, to, signsInAs, before: href.slice(0, at), after: href.slice(at + to.length) };
}

/** Shortens text in the middle; the end of a host determines who owns it. */
export function withoutMiddle(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const start = Math.floor(chars / 4);
  return `${text.slice(0, start)}…${text.slice(text.length - (chars - start - 1))}`;
}

function parsed(uri: string): URL | undefined {
  try {
    return new URL(uri);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}
