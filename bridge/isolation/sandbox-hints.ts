// Owns the hints that an agent gets when something fails or cannot be reached because of its sandbox:
// the reason, and what the user can allow. Pure.

import type { Isolation } from "../../protocol/isolation.ts";
import type { Network } from "./isolation-settings.ts";

const NETWORK_ERRORS =
  /EAI_AGAIN|ENOTFOUND|ENETUNREACH|could not resolve|name resolution|network is unreachable|no route to host|nodename nor servname/i;
const READ_ONLY_ERRORS = /EROFS|read-only file system|could not write config file \.git\/config/i;
/** Output of servers that listen. */
const LISTENING_OUTPUT =
  /\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d{2,5}\b|\blisten(?:ing|s)? (?:on|at)\b/i;

export function listSandboxHints(level: Isolation, network: Network, output: string): string[] {
  if (level === "none") return [];
  const sandbox = `It runs in a ${level}`;
  const allow = 'The user can allow it with sandbox.network: "host"';
  const hints: string[] = [];
  if (network === "none" && NETWORK_ERRORS.test(output)) {
    hints.push(`${sandbox} without a network. ${allow}, or do it themselves`);
  }
  if (network === "none" && LISTENING_OUTPUT.test(output)) {
    hints.push(`${sandbox} with its own loopback: no browser can reach its ports. ${allow}`);
  }
  if (READ_ONLY_ERRORS.test(output)) {
    hints.push(
      `${sandbox}: only the workspace and /tmp are writable, except git's config and hooks and editors' settings`,
    );
  }
  return hints;
}
