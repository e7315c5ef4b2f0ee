// Assembles conversations with coding agents: their terminals (over the agents' pipeline), files, MCP
// tools and the ACP connection.

import { thickest } from "../../protocol/isolation.ts";
import { ClientTerminals } from "../agents/client-terminals.ts";
import { judgeDraft } from "../agents/judging.ts";
import { KeptTerminals } from "../agents/kept-terminals.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { AgentParts } from "../conversations/agent.ts";
import { AgentFiles } from "../conversations/files.ts";
import { Conversations } from "../conversations/service.ts";
import { ShownTerminals } from "../conversations/shown-terminals.ts";
import { ConversationStore } from "../conversations/store.ts";
import { exitWords } from "../conversations/updates.ts";
import { connectLater } from "../dialects/acp/later.ts";
import { guardedIn } from "../providers/guarding.ts";
import { guardsOf } from "../providers/guards.ts";
import { look } from "../providers/look.ts";
import { ownFolders } from "../providers/roots.ts";
import { VERSION } from "../version.ts";
import type { AgentWorks } from "./agents.ts";
import type { RoomWish } from "./room.ts";

/**
 * Upper bound for the token of a connection that never closes; normally it ends with the connection.
 */
const TOOLS_MS = 12 * 3_600_000;

export function openConversations(
  wish: RoomWish,
  approvals: Approvals,
  { pipeline }: Pick<AgentWorks, "pipeline">,
): Conversations {
  const { pool, audit, log, roots, own, lists, grants, walls, acp } = wish;
  const kept = new KeptTerminals(pool, ({ conversation, terminal, text, exit }) =>
    conversations.terminalIs(conversation, {
      terminal,
      text,
      exit: exitWords(exit.exitCode, exit.signal),
    }),
  );
  const floor: AgentParts["floor"] = (caller, wire) =>
    thickest(caller.grant()?.isolation, walls.floor, wire.isolation);
  const conversations = new Conversations({
    connect: (wire, calls) => connectLater({ wire, calls, log, ...acp }),
    terminals: new ClientTerminals({ pool, pipeline, onReleased: () => void kept.trim() }),
    shown: new ShownTerminals(pool, log),
    files: new AgentFiles({
      roots,
      ownFolders: ownFolders(own.ownFolders ?? [], roots),
      ownProgram: own.ownProgram,
      isGuarded: guardedIn(roots),
      guards: () => roots.flatMap(guardsIn),
      approvals,
      inSandbox: wish.approvals.inSandbox,
      policyVersion: `${VERSION}${lists.version}`,
    }),
    approvals,
    judge: (draft) => judgeDraft(draft, { lists, ...own }),
    floor,
    offer: (caller, wire, { takesHttp }) => {
      const grant = caller.grant();
      if (grant === undefined) return NOTHING;
      const { label, scopes, tools } = grant;
      // A stdio server works only for an agent on this machine that is not sandboxed away from our
      // sockets.
      if (wire.isHere) {
        const { command, args } = wish.tools.local;
        const named = [...args, "--name", label];
        return {
          servers: [{ name: "pairpty", command, args: named, env: [] }],
          end: () => {},
        };
      }
      if (!takesHttp) return NOTHING;
      const minted = grants.mint({
        role: "agent",
        scopes: [...scopes],
        label,
        expiresAt: Date.now() + TOOLS_MS,
        session: true,
        isolation: floor(caller, wire),
        ...(tools === undefined ? {} : { tools }),
      });
      const headers = [{ name: "Authorization", value: `Bearer ${minted.token}` }];
      return {
        servers: [{ type: "http", name: "pairpty", url: wish.tools.url(), headers }],
        end: () => void grants.revoke(minted.grant.id),
      };
    },
    store: new ConversationStore(wish.conversationsPath, log),
    grants,
    pool,
    kept,
    audit,
    log,
  });
  return conversations;
}

const NOTHING = { servers: [], end: () => {} };

/**
 * Returns the existing guarded files of a root; empty where guards cannot be determined, since no
 * sandbox starts there.
 */
function guardsIn(root: string): string[] {
  const found = guardsOf(root, look);
  return found.ok ? found.guards.flatMap(({ path, isAbsent }) => (isAbsent ? [] : [path])) : [];
}
