// Reads a tunnel's public address from its program's output. Pure: one reader per program, since each
// prints other links, too.

import { stripVTControlCharacters } from "node:util";

/** Receives each line of stdout and stderr in order; returns the origin if the line holds it. */
export type AddressReader = (line: string) => string | undefined;

/** Reads the log of cloudflared's quick tunnels. Skips its API, which has a similar name. */
export function readCloudflared(): AddressReader {
  return withoutEscapes((line) => {
    const [, name] = /https:\/\/([a-z0-9-]+)\.trycloudflare\.com(?![\w.-])/i.exec(line) ?? [];
    return name === undefined || name.toLowerCase() === "api"
      ? undefined
      : `https://${name}.trycloudflare.com`;
  });
}

/** Reads `tailscale funnel`: a title, a blank line, the address. Skips help links before the title. */
export function readTailscale(): AddressReader {
  let isTitled = false;
  return withoutEscapes((line) => {
    const title = "Available on the internet:";
    const at = line.indexOf(title);
    if (at >= 0) isTitled = true;
    return isTitled ? parseOriginLine(at >= 0 ? line.slice(at + title.length) : line) : undefined;
  });
}

/** Reads ngrok's logfmt (`--log stdout`). Skips other protocols and ngrok's own pages. */
export function readNgrok(): AddressReader {
  return withoutEscapes((line) => {
    if (!/\bmsg="started tunnel"/.test(line)) return undefined;
    return parseOrigin(/\burl="?(https:\/\/[^\s"]+)/.exec(line)?.[1]);
  });
}

/** Reads services behind `ssh -R`: one of their sentences, or the address alone on a line. */
export function readSsh(): AddressReader {
  return withoutEscapes((line) => {
    const [, address] =
      /tunneled with tls termination, (https:\/\/\S+)/i.exec(line) ??
      /(https:\/\/\S+) tunneled with tls termination/i.exec(line) ??
      /forwarding http traffic from (https:\/\/\S+)/i.exec(line) ??
      [];
    return address === undefined ? parseOriginLine(line) : parseOrigin(address);
  });
}

/** Reads any other program: the first address without a path, since links to pages have one. */
export function readAnyProgram(): AddressReader {
  return withoutEscapes((line) => {
    for (const [word] of line.matchAll(/https:\/\/[^\s"'<>|()[\]{},;]+/gi)) {
      const origin = parseOrigin(word.replace(/[.:!?]+$/, ""));
      if (origin !== undefined) return origin;
    }
    return undefined;
  });
}

function withoutEscapes(find: AddressReader): AddressReader {
  return (line) => find(stripVTControlCharacters(line));
}

/** Returns the origin of a line that holds nothing else. */
function parseOriginLine(line: string): string | undefined {
  const word = line.trim();
  return /^https:\/\/\S+$/i.test(word) ? parseOrigin(word) : undefined;
}

/** Returns the origin of an https address without user, path, query and fragment; else undefined. */
function parseOrigin(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.pathname === "/" && url.search === "" && url.hash === "";
  return url.protocol === "https:" && isPlain && url.username === "" ? url.origin : undefined;
}
