// Owns the addresses of a workspace on a relay, as told to people and programs.

import type { RelayAddress } from "../../link/address.ts";
import { linkUrl, socketUrl } from "../../link/address.ts";
import { peerPath, workspacePath } from "../../../protocol/workspace.ts";
import type { Ready } from "../../doors/control/requests.ts";

export function readyFacts(
  address: RelayAddress,
  workspace: string,
  tokens: Ready["tokens"],
): Ready {
  const { origin } = address;
  return {
    event: "ready",
    workspace,
    relay: origin,
    links: {
      edit: pageLink(address, workspace, tokens.edit),
      view: pageLink(address, workspace, tokens.view),
    },
    tokens,
    endpoints: {
      peer: socketUrl(address, peerPath(workspace)),
      bridge: linkUrl(address, workspace),
      mcp: `${origin}${workspacePath(workspace, "/mcp")}`,
      acp: socketUrl(address, workspacePath(workspace, "/acp")),
      health: `${origin}${workspacePath(workspace, "/health")}`,
    },
  };
}

/** The token is in the fragment, which browsers do not send. */
export function pageLink(address: RelayAddress, workspace: string, token: string): string {
  return `${address.origin}${workspacePath(workspace)}#${token}`;
}
