// Assembles conversations with coding agents: their terminals (over the agents' pipeline), files, MCP
// tools and the ACP connection.

import { strictest } from "../../protocol/isolation.ts";
import { ClientTerminals } from "../agents/client-terminals.ts";
import { judgeDraft } from "../agents/draft-judgement.ts";
import { ReleasedTerminals } from "../agents/released-terminals.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { ConnectedAgentDeps } from "../conversations/connected-agent-ports.ts";
import { AgentFiles } from "../conversations/agent-files.ts";
import { Conversations } from "../conversations/conversations.ts";
import { ShownTerminals } from "../conversations/session-updates.ts";
import { ConversationStore } from "../conversations/conversation-store.ts";
import { formatExit } from "../conversations/bounded-text.ts";
import { connectLazily } from "../dialects/acp/lazy-connection.ts";
import { toGuardTest, findGuards } from "../isolation/guards.ts";
import { lookAtPath, toOwnFolders } from "../isolation/writable-roots.ts";
import { VERSION } from "../build-info.ts";
import type { AgentServices } from "./agent-services.ts";
import type { RoomDeps } from "./room.ts";

/**
 * Upper bound for the token of a connection that never closes; normally it ends with the connection.
 */
const TOOL_TOKEN_MS = 12 * 3_600_000;

export function openConversations(
  deps: RoomDeps,
  approvals: Approvals,
  { pipeline }: Pick<AgentServices, "pipeline">,
): Conversations {
  const { pool, audit, log, roots, ownPaths, commandLists, grants, isolationService, acp } = deps;
  const releasedTerminals = new ReleasedTerminals(pool, ({ conversation, terminal, text, exit }) =>
    conversations.recordTerminal(conversation, {
      terminal,
      text,
      exit: formatExit(exit.exitCode, exit.signal),
    }),
  );
  const getFloor: ConnectedAgentDeps["getFloor"] = (caller, wire) =>
    strictest(caller.grant()?.isolation, isolationService.floor, wire.isolation);
  const conversations = new Conversations({
    connect: (wire, calls) => connectLazily({ wire, calls, log, ...acp }),
    terminals: new ClientTerminals({
      pool,
      pipeline,
      onReleased: () => void releasedTerminals.trim(),
    }),
    shownTerminals: new ShownTerminals(pool, log),
    files: new AgentFiles({
      roots,
      ownFolders: toOwnFolders(ownPaths.ownFolders ?? [], roots),
      ownProgram: ownPaths.ownProgram,
      isGuarded: toGuardTest(roots),
      guards: () => roots.flatMap(listGuards),
      approvals,
      inSandbox: deps.approvals.inSandbox,
      policyVersion: `${VERSION}${commandLists.version}`,
    }),
    approvals,
    judge: (draft) => judgeDraft(draft, { lists: commandLists, ...ownPaths }),
    getFloor,
    offer: (caller, wire, { takesHttp }) => {
      const grant = caller.grant();
      if (grant === undefined) return NO_TOOLS;
      const { label, scopes, tools } = grant;
      // A stdio server works only for an agent on this machine that is not sandboxed away from our
      // sockets.
      if (wire.isLocal) {
        const { command, args } = deps.tools.local;
        const argsWithName = [...args, "--name", label];
        return {
          servers: [{ name: "pairpty", command, args: argsWithName, env: [] }],
          end: () => {},
        };
      }
      if (!takesHttp) return NO_TOOLS;
      const minted = grants.mint({
        role: "agent",
        scopes: [...scopes],
        label,
        expiresAt: Date.now() + TOOL_TOKEN_MS,
        session: true,
        isolation: getFloor(caller, wire),
        ...(tools === undefined ? {} : { tools }),
      });
      const headers = [{ name: "Authorization", value: `Bearer ${minted.token}` }];
      return {
        servers: [{ type: "http", name: "pairpty", url: deps.tools.url(), headers }],
        end: () => void grants.revoke(minted.grant.id),
      };
    },
    store: new ConversationStore(deps.conversationsPath, log),
    grants,
    pool,
    releasedTerminals,
    audit,
    log,
  });
  return conversations;
}

const NO_TOOLS = { servers: [], end: () => {} };

/**
 * Returns the existing guarded files of a root; empty where guards cannot be determined, since no
 * sandbox starts there.
 */
function listGuards(root: string): string[] {
  const found = findGuards(root, lookAtPath);
  return found.ok ? found.guards.flatMap(({ path, isAbsent }) => (isAbsent ? [] : [path])) : [];
}
