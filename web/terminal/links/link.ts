// Owns which links of a terminal may be followed, and what is shown of them first. Programs write
// links, and what a link says need not be where it leads. Pure.

export interface Link {
  readonly href: string;
  /** Who gets the request, or the mail: the part that decides. */
  readonly to: string;
  /** The name and password in front of it, which may look like a host; "" for none. */
  readonly signsInAs: string;
  /** What stands before and behind it. */
  readonly before: string;
  readonly after: string;
}

const ALLOWED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** Undefined where it leads nowhere that a page should go: `file:`, `javascript:`, our own scheme. */
export function linkOf(uri: string): Link | undefined {
  const url = parsed(uri);
  if (!url || !ALLOWED.has(url.protocol)) return undefined;
  // As the browser reads it: a host in other letters shows as xn--.
  const { href } = url;
  const to = url.protocol === "mailto:" ? url.pathname : url.host;
  if (to === "") return undefined;
  // Behind a name and a password, which may look like a host.
  const signsInAs = [url.username, url.password].filter(Boolean).join(":");
  const start = signsInAs === "" ? url.protocol.length : href.indexOf("@");
  const at = href.indexOf(to, start);
  return { href, to, signsInAs, before: href.slice(0, at), after: href.slice(at + to.length) };
}

/** Without its middle where it is longer: a host's end decides who has it. */
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
