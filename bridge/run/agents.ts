// Assembles the agents' services: one set of stages and slots for background terminals, sessions and
// commands, and the tools that use them.

import type { Terminal } from "../../protocol/terminal.ts";
import { Feeds } from "../agents/feeds.ts";
import { judgeDraft, judgeTyped } from "../agents/judging.ts";
import { AgentPanels } from "../agents/panels.ts";
import { AgentSessions } from "../agents/sessions.ts";
import { agentStages, commandStages, sessionStages } from "../agents/stages.ts";
import type { AgentCall } from "../agents/typing.ts";
import { Typing } from "../agents/typing.ts";
import type { AgentScreens } from "../agents/withholding.ts";
import { readableByAgents } from "../agents/withholding.ts";
import type { Approvals } from "../approvals/approvals.ts";
import { Commands } from "../commands/commands.ts";
import type { Panels } from "../panels/service.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { foregroundOf } from "../processes/foreground.ts";
import { OneByOne } from "../reading/one-by-one.ts";
import type { Screens } from "../screens/screens.ts";
import { SessionBook } from "../sessions/book.ts";
import { SessionTools } from "../sessions/tools.ts";
import { VERSION } from "../version.ts";
import type { RoomWish } from "./room.ts";

export interface AgentWorks {
  /** Starts background terminals. */
  readonly pipeline: Pipeline<Terminal>;
  readonly sessions: AgentSessions;
  readonly tools: SessionTools<AgentCall>;
  readonly panels: AgentPanels;
  dispose(): void;
}

export function agentWorks(
  wish: RoomWish,
  approvals: Approvals,
  screens: Screens,
  seen: AgentScreens,
  panels: Panels,
): AgentWorks {
  const { pool, audit, environment, roots, own, lists, grants, log, walls } = wish;
  const policyVersion = `${VERSION}${lists.version}`;
  const { inSandbox } = wish.approvals;
  const commands = new Commands({ instance: wish.sessions.instance, log });
  const book = new SessionBook(wish.sessions);
  const stages = agentStages({
    pool,
    runs: commands,
    roots,
    letThrough: new Set(wish.agentEnvironment),
    judge: (draft) => judgeDraft(draft, { lists, ...own }),
    environment,
    audit,
    approvals,
    inSandbox,
    walls,
    policyVersion,
  });
  const typing = new Typing({
    approvals,
    audit,
    judge: (line, cwd) => judgeTyped(line, cwd, { lists, ...own }),
    foregroundOf,
    roots,
    policyVersion,
    inSandbox,
  });
  const feeds = new Feeds(pool, log);
  const sessions = new AgentSessions({
    pool,
    commands,
    runs: new Pipeline(commandStages(stages, commands, walls, feeds)),
    sessions: new Pipeline(sessionStages(stages, () => book.nextNumber())),
    book,
    typing,
    feeds,
    defaults: wish.agentDefaults,
    hints: (level, output) => walls.hints(level, output),
    grants,
    live: {
      wantsApplicationKeys: (terminal) => screens.wantsApplicationKeys(terminal),
      reads: new OneByOne(),
    },
  });
  return {
    pipeline: new Pipeline(stages),
    sessions,
    tools: new SessionTools(sessions, book),
    panels: new AgentPanels({
      pool,
      output: readableByAgents(pool),
      panels,
      screens: seen,
      typing,
      sessionOf: (owner, id) => sessions.terminalOf(owner, id),
      subjectOf: (terminal) => sessions.over(terminal),
      wantsApplicationKeys: (terminal) => screens.wantsApplicationKeys(terminal),
      floor: () => walls.floor,
    }),
    dispose: () => {
      sessions.dispose();
      feeds.dispose();
      commands.dispose();
    },
  };
}
