// Owns the hints that an agent gets when something fails or cannot be reached because of its sandbox:
// the reason, and what the user can allow. Pure.

import type { Isolation } from "../../protocol/isolation.ts";
import type { Network } from "./settings.ts";

const NO_NETWORK =
  /EAI_AGAIN|ENOTFOUND|ENETUNREACH|could not resolve|name resolution|network is unreachable|no route to host|nodename nor servname/i;
const READ_ONLY = /EROFS|read-only file system|could not write config file \.git\/config/i;
/** Output of servers that listen. */
const LISTENS =
  /\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d{2,5}\b|\blisten(?:ing|s)? (?:on|at)\b/i;

export function wallHints(level: Isolation, network: Network, output: string): string[] {
  if (level === "none") return [];
  const wall = `It runs in a ${level}`;
  const allow = 'The user can allow it with sandbox.network: "host"';
  const hints: string[] = [];
  if (network === "none" && NO_NETWORK.test(output)) {
    hints.push(`${wall} without a network. ${allow}, or do it themselves`);
  }
  if (network === "none" && LISTENS.test(output)) {
    hints.push(`${wall} with its own loopback: no browser can reach its ports. ${allow}`);
  }
  if (READ_ONLY.test(output)) {
    hints.push(
      `${wall}: only the workspace and /tmp are writable, except git's config and hooks and editors' settings`,
    );
  }
  return hints;
}
