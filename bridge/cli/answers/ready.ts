// Builds the addresses and links of a workspace on a relay, for people and programs.

import type { RelayAddress } from "../../link/address.ts";
import { linkUrl, socketUrl } from "../../link/address.ts";
import { peerPath, workspacePath } from "../../../protocol/workspace.ts";
import type { Places, Ready } from "../../doors/control/requests.ts";
import type { BridgeRun } from "../../run/run.ts";

/** Tokens of the first screen. `own`: the host's own page. `knock`: guests wait for admission. */
export interface BannerTokens {
  readonly tokens: Ready["tokens"];
  readonly own: string;
  readonly knock: boolean;
}

/** Returns the facts of a run; with a tunnel, its addresses and those of this machine. */
export function readyFacts(
  { address, reach, tunnel }: Pick<BridgeRun, "address" | "reach" | "tunnel">,
  workspace: string,
  { tokens, own, knock }: BannerTokens,
): Ready {
  const { relay, links, endpoints } = placesOf(reach, workspace, tokens);
  const ready: Ready = {
    event: "ready",
    workspace,
    relay,
    links,
    tokens,
    endpoints,
    own: pageLink(address, workspace, own),
    ...(knock ? { knock } : {}),
  };
  if (tunnel === undefined) return ready;
  const { name, operator } = tunnel;
  return { ...ready, tunnel: name, operator, local: placesOf(address, workspace, tokens) };
}

function placesOf(address: RelayAddress, workspace: string, tokens: Ready["tokens"]): Places {
  const { origin } = address;
  return {
    relay: origin,
    links: {
      edit: pageLink(address, workspace, tokens.edit),
      view: pageLink(address, workspace, tokens.view),
    },
    endpoints: {
      peer: socketUrl(address, peerPath(workspace)),
      bridge: linkUrl(address, workspace),
      mcp: `${origin}${workspacePath(workspace, "/mcp")}`,
      acp: socketUrl(address, workspacePath(workspace, "/acp")),
      health: `${origin}${workspacePath(workspace, "/health")}`,
    },
  };
}

/** Returns the page's link. The token is in the fragment, which browsers do not send. */
export function pageLink(address: RelayAddress, workspace: string, token: string): string {
  return `${address.origin}${workspacePath(workspace)}#${token}`;
}
