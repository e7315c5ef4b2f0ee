// Builds the addresses and links of a workspace on a relay, for people and programs.

import type { RelayAddress } from "../../link/relay-address.ts";
import { linkUrl, socketUrl } from "../../link/relay-address.ts";
import { peerPath, workspacePath } from "../../../protocol/workspace.ts";
import type { WorkspaceAddresses, Ready } from "../../doors/control/control-requests.ts";
import type { BridgeRun } from "../../run/bridge-run.ts";

/** Tokens of the first screen. `own`: the host's own page. `knock`: guests wait for admission. */
export interface BannerTokens {
  readonly tokens: Ready["tokens"];
  readonly own: string;
  readonly knock: boolean;
}

/** Returns the facts of a run; with a tunnel, its addresses and those of this machine. */
export function toReady(
  { address, publicAddress, tunnel }: Pick<BridgeRun, "address" | "publicAddress" | "tunnel">,
  workspace: string,
  { tokens, own, knock }: BannerTokens,
): Ready {
  const { relay, links, endpoints } = toAddresses(publicAddress, workspace, tokens);
  const ready: Ready = {
    event: "ready",
    workspace,
    relay,
    links,
    tokens,
    endpoints,
    own: formatPageLink(address, workspace, own),
    ...(knock ? { knock } : {}),
  };
  if (tunnel === undefined) return ready;
  const { name, operator } = tunnel;
  return { ...ready, tunnel: name, operator, local: toAddresses(address, workspace, tokens) };
}

function toAddresses(
  address: RelayAddress,
  workspace: string,
  tokens: Ready["tokens"],
): WorkspaceAddresses {
  const { origin } = address;
  return {
    relay: origin,
    links: {
      edit: formatPageLink(address, workspace, tokens.edit),
      view: formatPageLink(address, workspace, tokens.view),
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
export function formatPageLink(address: RelayAddress, workspace: string, token: string): string {
  return `${address.origin}${workspacePath(workspace)}#${token}`;
}
