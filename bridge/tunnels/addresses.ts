// Owns reading a tunnel's public address from what its program prints, line by line. Pure: one reader
// for each program, since each prints other links beside its own.

import { stripVTControlCharacters } from "node:util";

/** Gets every line of stdout and stderr in their order; answers with the origin that a line tells. */
export type AddressReader = (line: string) => string | undefined;

/** cloudflared's quick tunnels: in a box of log lines. Its own API has a name of the same kind. */
export function cloudflaredReader(): AddressReader {
  return reading((line) => {
    const [, name] = /https:\/\/([a-z0-9-]+)\.trycloudflare\.com(?![\w.-])/i.exec(line) ?? [];
    return name === undefined || name.toLowerCase() === "api"
      ? undefined
      : `https://${name}.trycloudflare.com`;
  });
}

/** `tailscale funnel`: a title, a blank line, the address. It prints links to its help before. */
export function tailscaleReader(): AddressReader {
  let isTitled = false;
  return reading((line) => {
    const title = "Available on the internet:";
    const at = line.indexOf(title);
    if (at >= 0) isTitled = true;
    return isTitled ? wholeOrigin(at >= 0 ? line.slice(at + title.length) : line) : undefined;
  });
}

/** ngrok with `--log stdout`: logfmt. Tunnels of other protocols and its own pages do not count. */
export function ngrokReader(): AddressReader {
  return reading((line) => {
    if (!/\bmsg="started tunnel"/.test(line)) return undefined;
    return originOf(/\burl="?(https:\/\/[^\s"]+)/.exec(line)?.[1]);
  });
}

/** Services reached by `ssh -R`: a sentence of theirs, or the address alone on a line. */
export function sshReader(): AddressReader {
  return reading((line) => {
    const [, said] =
      /tunneled with tls termination, (https:\/\/\S+)/i.exec(line) ??
      /(https:\/\/\S+) tunneled with tls termination/i.exec(line) ??
      /forwarding http traffic from (https:\/\/\S+)/i.exec(line) ??
      [];
    return said === undefined ? wholeOrigin(line) : originOf(said);
  });
}

/** Any other program: the first address without a path; a link to some page has one. */
export function plainReader(): AddressReader {
  return reading((line) => {
    for (const [word] of line.matchAll(/https:\/\/[^\s"'<>|()[\]{},;]+/gi)) {
      const origin = originOf(word.replace(/[.:!?]+$/, ""));
      if (origin !== undefined) return origin;
    }
    return undefined;
  });
}

function reading(find: AddressReader): AddressReader {
  return (line) => find(stripVTControlCharacters(line));
}

/** Of a line that holds nothing else. */
function wholeOrigin(line: string): string | undefined {
  const word = line.trim();
  return /^https:\/\/\S+$/i.test(word) ? originOf(word) : undefined;
}

/** Undefined for anything but an https address without user, path, query and fragment. */
function originOf(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.pathname === "/" && url.search === "" && url.hash === "";
  return url.protocol === "https:" && isPlain && url.username === "" ? url.origin : undefined;
}
