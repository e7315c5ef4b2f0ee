// Assembles the agents' services: one set of stages and slots for background terminals, sessions and
// commands, and the tools that use them.

import type { Terminal } from "../../protocol/terminal.ts";
import { CommandMirrors } from "../agents/command-mirrors.ts";
import { judgeDraft, judgeTypedLine } from "../agents/draft-judgement.ts";
import { AgentPanels } from "../agents/agent-panels.ts";
import { AgentSessions } from "../agents/agent-sessions.ts";
import { agentStages, commandStages, sessionStages } from "../agents/agent-stages.ts";
import type { AgentCall } from "../agents/typing-gate.ts";
import { TypingGate } from "../agents/typing-gate.ts";
import type { AgentScreens } from "../agents/agent-visibility.ts";
import { readableByAgents } from "../agents/agent-visibility.ts";
import type { Approvals } from "../approvals/approvals.ts";
import { Commands } from "../commands/commands.ts";
import type { Panels } from "../panels/panels.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { getForeground } from "../processes/foreground.ts";
import { SerialQueue } from "../reading/serial-queue.ts";
import type { Screens } from "../screens/screens.ts";
import { SessionRegistry } from "../sessions/session-registry.ts";
import { SessionTools } from "../sessions/session-tools.ts";
import { VERSION } from "../build-info.ts";
import type { RoomDeps } from "./room.ts";

export interface AgentServices {
  /** Starts background terminals. */
  readonly pipeline: Pipeline<Terminal>;
  readonly sessions: AgentSessions;
  readonly tools: SessionTools<AgentCall>;
  readonly panels: AgentPanels;
  dispose(): void;
}

export function openAgentServices(
  deps: RoomDeps,
  approvals: Approvals,
  screens: Screens,
  agentScreens: AgentScreens,
  panels: Panels,
): AgentServices {
  const { pool, audit, environment, roots, ownPaths, commandLists, grants, log, isolationService } =
    deps;
  const policyVersion = `${VERSION}${commandLists.version}`;
  const { inSandbox } = deps.approvals;
  const commands = new Commands({ instance: deps.sessions.instance, log });
  const registry = new SessionRegistry(deps.sessions);
  const stages = agentStages({
    pool,
    runs: commands,
    roots,
    envAllowlist: new Set(deps.agentEnvironment),
    judge: (draft) => judgeDraft(draft, { lists: commandLists, ...ownPaths }),
    environment,
    audit,
    approvals,
    inSandbox,
    sandboxes: isolationService,
    policyVersion,
  });
  const typing = new TypingGate({
    approvals,
    audit,
    judge: (line, cwd) => judgeTypedLine(line, cwd, { lists: commandLists, ...ownPaths }),
    getForeground,
    roots,
    policyVersion,
    inSandbox,
  });
  const mirrors = new CommandMirrors(pool, log);
  const sessions = new AgentSessions({
    pool,
    commands,
    commandPipeline: new Pipeline(commandStages(stages, commands, isolationService, mirrors)),
    sessions: new Pipeline(sessionStages(stages, registry)),
    registry,
    typing,
    mirrors,
    defaults: deps.agentDefaults,
    isolation: isolationService,
    grants,
    targetDeps: {
      wantsApplicationKeys: (terminal) => screens.wantsApplicationKeys(terminal),
      reads: new SerialQueue(),
    },
  });
  return {
    pipeline: new Pipeline(stages),
    sessions,
    tools: new SessionTools(sessions, registry),
    panels: new AgentPanels({
      pool,
      output: readableByAgents(pool),
      panels,
      screens: agentScreens,
      typing,
      findSession: (owner, id) => sessions.findTerminal(owner, id),
      findSubject: (terminal) => sessions.findSession(terminal),
      wantsApplicationKeys: (terminal) => screens.wantsApplicationKeys(terminal),
      getFloor: () => isolationService.floor,
    }),
    dispose: () => {
      sessions.dispose();
      mirrors.dispose();
      commands.dispose();
    },
  };
}
