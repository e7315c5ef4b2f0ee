// Owns what is in the room of one bridge, put together in one place: the hub, the services, the
// dialects and the viewers, over the terminals. Opens no socket and starts no process: doors, link
// and pty host are the run's.

import type { Terminal } from "../../protocol/terminal.ts";
import type { AuditLog } from "../audit/log.ts";
import { auditRoom } from "../audit/room.ts";
import type { AgentDefaults } from "../agents/defaults.ts";
import { Inactivity } from "../agents/inactivity.ts";
import { previewAgents } from "../agents/preview.ts";
import { WallClock } from "../agents/wall-clock.ts";
import { AgentTerminals } from "../agents/service.ts";
import { agentStages } from "../agents/stages.ts";
import { Approvals } from "../approvals/approvals.ts";
import type { Caller } from "../callers/caller.ts";
import { Hub } from "../callers/hub.ts";
import type { Widening } from "../callers/widening.ts";
import { ApprovalDialect, mayAnswer, tellApprovals } from "../dialects/approval/dialect.ts";
import { McpDialect } from "../dialects/mcp/dialect.ts";
import type { Fixtures } from "../dialects/mcp/fixtures.ts";
import { terminalTools } from "../dialects/mcp/tools/terminals.ts";
import { PtyDialect } from "../dialects/pty/dialect.ts";
import { ptyRoute } from "../dialects/pty/http.ts";
import { tellNews } from "../dialects/pty/news.ts";
import { PTY_WORDS } from "../dialects/pty/words.ts";
import { healthRoute, RoomDialect } from "../dialects/room/dialect.ts";
import { MCP_DOOR } from "../doors/mcp/door.ts";
import { Ends } from "../ends.ts";
import type { GrantTable } from "../grants/table.ts";
import type { Log } from "../log.ts";
import { PeopleTerminals } from "../people/service.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import type { ApprovalOptions } from "../config/approval-settings.ts";
import type { CommandLists } from "../policy/lists.ts";
import type { PolicyContext } from "../policy/policy.ts";
import { judgeArgv } from "../policy/policy.ts";
import type { Walls } from "../providers/walls.ts";
import { Screens } from "../screens/screens.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { VERSION } from "../version.ts";
import { Viewers } from "../viewers/viewers.ts";
import { channelWords } from "../viewers/words.ts";

export interface RoomWish {
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly audit: AuditLog;
  readonly widening: Pick<Widening, "agentRan" | "whyNot">;
  readonly log: Log;
  readonly environment: NodeJS.ProcessEnv;
  /** Folders that agents may start things in, as real paths; the workspace's is the first. */
  readonly roots: readonly string[];
  /** Pairpty's own, which no agent may touch. */
  readonly own: Pick<PolicyContext, "ownFolders" | "ownProgram">;
  /** Variables that agents' children get though they look like secrets. */
  readonly agentEnvironment: readonly string[];
  /** After this long without activity an agent's background terminal is closed. */
  readonly agentIdleMs: number;
  /** Agents' commands and sessions, where they say nothing else. */
  readonly agentDefaults: AgentDefaults;
  /** What the user calls safe and dangerous. */
  readonly lists: CommandLists;
  readonly walls: Walls;
  /** What a test suite adds to every MCP server; undefined for people. */
  readonly fixtures?: Fixtures | undefined;
  /** False only to measure what screens cost. */
  readonly areScreensFed: boolean;
  /** What the user's settings say of approvals. */
  readonly approvals: ApprovalOptions;
}

export class Room {
  readonly hub: Hub;
  readonly people: PeopleTerminals;
  readonly agents: AgentTerminals;
  readonly approvals: Approvals;
  readonly viewers: Viewers;
  readonly mcp: McpDialect;
  readonly words = channelWords(() => PTY_WORDS);
  readonly #room = new RoomDialect();
  readonly #ends = new Ends();

  constructor(wish: RoomWish) {
    const { pool, grants, audit, log } = wish;
    const screens = new Screens(pool, log, wish.areScreensFed);
    this.hub = new Hub(grants, log, wish.widening);
    this.people = new PeopleTerminals(pool);
    this.viewers = new Viewers(pool, screens, () => PTY_WORDS, log);
    this.approvals = new Approvals({
      grants,
      audit,
      isSomebodyThere: () => this.#isSomebodyThere(),
      onUnknownTimeout: wish.approvals.onUnknownTimeout,
    });
    const pipeline = pipelineFor(wish, this.approvals);
    this.agents = new AgentTerminals({ pool, screens, pipeline });
    this.mcp = new McpDialect({
      agents: this.agents,
      tools: terminalTools(this.agents),
      audit,
      log,
      news: pool,
      open: (grantId, end) => this.#openAgent(grantId, grants, end),
      fixtures: wish.fixtures,
    });
    const inactivity = new Inactivity(pool, wish.agentIdleMs);
    const { wallClock } = wish.walls.limits;
    const clock = wallClock === undefined ? undefined : new WallClock(pool, wallClock);
    this.#ends.own(
      () => this.hub.dispose(),
      () => screens.dispose(),
      () => inactivity.dispose(),
      () => clock?.dispose(),
      () => void this.mcp.close(),
      () => this.approvals.dispose(),
      auditRoom(audit, pool, grants),
      previewAgents(pool, log),
      // The first answers what belongs to none.
      this.hub.speak(new PtyDialect(this.people, this.viewers)),
      this.hub.speak(this.#room),
      this.hub.speak(new ApprovalDialect(this.approvals)),
      this.hub.serve(healthRoute(pool, this.people)),
      this.hub.serve(ptyRoute(this.people)),
      this.hub.serve(this.mcp),
      tellNews(pool, this.hub),
      tellApprovals(this.approvals, this.hub),
      // An agent that is a program of this machine reaches its sockets without having started one.
      this.approvals.onEvent((event) => {
        if (event.type !== "approval:requested") return;
        const { grant } = event.approval.agent;
        if (grants.lookUp(grant)?.local !== undefined) wish.widening.agentRan();
      }),
    );
  }

  /** Milliseconds to a person and back; undefined when its client does not answer. */
  ping(caller: Caller): Promise<number | undefined> {
    return this.#room.ping(caller);
  }

  dispose(): void {
    this.#ends.dispose();
  }

  /** A person is connected through the relay who may answer an agent's question. */
  #isSomebodyThere(): boolean {
    return this.hub.present().some((caller) => {
      const grant = caller.grant();
      return grant !== undefined && mayAnswer(caller, grant);
    });
  }

  /** What serves an agent's requests one after the other is a caller, too. */
  #openAgent(grantId: string, grants: Pick<GrantTable, "lookUp">, end: () => void) {
    const caller: Caller = {
      door: MCP_DOOR,
      since: Date.now(),
      grantId,
      grant: () => grants.lookUp(grantId),
      tell: () => {},
      close: end,
    };
    return { caller, leave: this.hub.open(caller) };
  }
}

function pipelineFor(wish: RoomWish, approvals: Approvals): Pipeline<Terminal> {
  const { pool, audit, environment, roots, own, lists, walls } = wish;
  return new Pipeline(
    agentStages({
      pool,
      roots,
      letThrough: new Set(wish.agentEnvironment),
      judge: (argv, cwd, env) => judgeArgv([...argv], { cwd, env, lists, ...own }),
      environment,
      audit,
      unwalled: () => wish.widening.agentRan(),
      approvals,
      inSandbox: wish.approvals.inSandbox,
      walls,
      policyVersion: `${VERSION}${lists.version}`,
    }),
  );
}
