// Assembles the room of one bridge: hub, services, dialects and viewers over the terminals. Opens no
// socket and starts no process: doors, link and pty host belong to the run.

import type { AuditLog } from "../audit/log.ts";
import { auditRoom } from "../audit/room.ts";
import { Inactivity } from "../agents/inactivity.ts";
import { previewAgents } from "../agents/preview.ts";
import { WallClock } from "../agents/wall-clock.ts";
import { AgentTerminals } from "../agents/service.ts";
import { screensForAgents } from "../agents/withholding.ts";
import { Approvals } from "../approvals/approvals.ts";
import { Rules } from "../approvals/rules.ts";
import type { Caller } from "../callers/caller.ts";
import type { Conversations } from "../conversations/service.ts";
import type { ChannelWords } from "../channels/table.ts";
import { Hub } from "../callers/hub.ts";
import { maySee } from "../callers/sight.ts";
import type { Widening } from "../callers/widening.ts";
import { ApprovalDialect } from "../dialects/approval/dialect.ts";
import { AuditDialect } from "../dialects/audit/dialect.ts";
import { ConversationDialect } from "../dialects/conversation/dialect.ts";
import { filesRoute } from "../dialects/files/http.ts";
import type { Fixtures } from "../dialects/mcp/fixtures.ts";
import { LaterMcp } from "../dialects/mcp/later.ts";
import { PanelDialect } from "../dialects/panel/dialect.ts";
import { panelRoute } from "../dialects/panel/http.ts";
import { panelViewerWords, panelWords } from "../dialects/panel/words.ts";
import { recordingsRoute } from "../dialects/recordings/http.ts";
import { PtyDialect } from "../dialects/pty/dialect.ts";
import { ptyRoute } from "../dialects/pty/http.ts";
import { tellNews } from "../dialects/pty/news.ts";
import { recordingWords, foregroundWords, PTY_WORDS, runningWords } from "../dialects/pty/words.ts";
import type { RoomDialect } from "../dialects/room/dialect.ts";
import { healthRoute } from "../dialects/room/dialect.ts";
import { MCP_DOOR } from "../doors/mcp/door.ts";
import { Ends } from "../ends.ts";
import { chosenFolder, temporaryFolder } from "../files/folder.ts";
import { ReceivedFiles } from "../files/receiving.ts";
import type { Grant, GrantTable } from "../grants/table.ts";
import type { Log } from "../log.ts";
import { Panels } from "../panels/service.ts";
import type { Hosting } from "../people/hosting.ts";
import { Openness } from "../people/openness.ts";
import { RunningPrograms } from "../people/running.ts";
import { PeopleTerminals } from "../people/service.ts";
import { SteppingIn } from "../people/stepping-in.ts";
import { personOf } from "../people/visitor.ts";
import type { Visitors } from "../people/visitors.ts";
import type { PolicyContext } from "../policy/policy.ts";
import type { Walls } from "../providers/walls.ts";
import { foregroundOf, frontOf, programIn } from "../processes/foreground.ts";
import { approvalMark } from "../recordings/approval-marks.ts";
import { Recordings } from "../recordings/recordings.ts";
import { Screens } from "../screens/screens.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { DurableFile } from "../workspace/durable-file.ts";
import { Viewers } from "../viewers/viewers.ts";
import type { WordsBy } from "../viewers/words.ts";
import { agentWorks } from "./agents.ts";
import { channelWords } from "../viewers/words.ts";
import { openConversations } from "./conversations.ts";
import type { RoomSettings } from "./options.ts";
import type { VisitsWish } from "./visiting.ts";
import { openVisiting } from "./visiting.ts";

/** The pty host's part in agents' commands and sessions. */
export interface SessionsWish {
  /** The highest session number given so far. */
  readonly last: number;
  /** Stores the number with the host. */
  readonly keepLast: (number: number) => void;
  readonly instance: () => string;
}

export interface RoomWish extends RoomSettings {
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly audit: AuditLog;
  readonly widening: Pick<Widening, "agentCalled" | "whyNot">;
  readonly log: Log;
  readonly environment: NodeJS.ProcessEnv;
  /** Folders in which agents may start processes, as real paths; the workspace's folder comes first. */
  readonly roots: readonly string[];
  /** Pairpty's own files, which no agent may touch. */
  readonly own: Pick<PolicyContext, "ownFolders" | "ownProgram">;
  readonly walls: Walls;
  /** Test fixtures that a test suite adds to every MCP server; undefined in normal use. */
  readonly fixtures?: Fixtures | undefined;
  /** False only in benchmarks that measure the cost of screens. */
  readonly areScreensFed: boolean;
  readonly sessions: SessionsWish;
  /** Folder and size limit of recordings. */
  readonly recordings: { readonly folder: string; readonly mostBytes: number };
  /** How coding agents reach the room's terminals as MCP tools. */
  readonly tools: {
    readonly local: { readonly command: string; readonly args: readonly string[] };
    readonly url: () => string;
  };
  /** Folder of stored conversations. */
  readonly conversationsPath: string;
  /** Returns the page's address that opens one approval. */
  readonly linkToApproval?: ((id: string) => string) | undefined;
  /** File of standing approvals. */
  readonly rulesPath: string;
  readonly visits: VisitsWish;
}

export class Room {
  readonly hub: Hub;
  readonly people: PeopleTerminals;
  readonly openness: Openness;
  readonly steppingIn: SteppingIn;
  readonly agents: AgentTerminals;
  readonly approvals: Approvals;
  readonly viewers: Viewers;
  readonly mcp: LaterMcp;
  readonly panels: Panels;
  /** Coding agents that speak ACP connect here. */
  readonly conversations: Conversations;
  readonly words: ChannelWords;
  readonly visitors: Visitors;
  readonly hosting: Hosting;
  readonly files: ReceivedFiles;
  readonly recordings: Recordings;
  /** Files with the host's decisions about browsers and the standing approvals. */
  readonly durable: { readonly people: DurableFile; readonly rules: DurableFile };
  readonly #room: RoomDialect;
  readonly #ends = new Ends();

  constructor(wish: RoomWish) {
    const { pool, grants, audit, log } = wish;
    const screens = new Screens(pool, log, wish.areScreensFed);
    this.hub = new Hub(grants, log, wish.widening);
    this.people = new PeopleTerminals(pool, {
      hasSteppedIn: (caller, terminal) => this.steppingIn.holds(caller, terminal),
      onTyped: (caller, terminal) => this.recordings.typed(caller, terminal),
      personOf: (caller) => personOf(caller, this.visitors.of(caller)),
    });
    const panelsWords = panelViewerWords((id) => pool.get(id)?.meta.panel);
    const wordsBy: WordsBy = (rendition) => (rendition === "panel" ? panelsWords : PTY_WORDS);
    this.words = channelWords(wordsBy);
    this.viewers = new Viewers(pool, screens, wordsBy, log);
    const { people, viewers, hub } = this;
    const visiting = openVisiting(
      {
        hub,
        grants,
        viewers,
        terminal: (id) => pool.get(id),
        audit,
        log,
      },
      wish.visits,
    );
    const { visitors, hosting } = visiting;
    this.visitors = visitors;
    this.hosting = hosting;
    this.#room = visiting.dialect;
    this.openness = new Openness({ pool, people, viewers, hub, grants });
    this.steppingIn = new SteppingIn({
      pool,
      viewers,
      audit,
      log,
      foregroundOf,
      tell: (caller, foreground) => caller.tell(foregroundWords(foreground)),
    });
    this.panels = new Panels({
      pool,
      people: this.people,
      viewers: this.viewers,
      screens,
      settings: wish.panels,
      log,
      words: panelWords,
    });
    this.recordings = new Recordings({
      ...wish.recordings,
      pool,
      still: (terminal) => screens.still(terminal),
      whyNot: (caller, act) => people.whyNot(caller, act),
      tell: ({ meta }, news) =>
        hub.tell(recordingWords(news), (_caller, grant) => maySee(grant, meta)),
      audit,
      log,
    });
    const { folder, mostBytes } = wish.files;
    this.files = new ReceivedFiles({
      folder: folder === undefined ? temporaryFolder(wish.roots[0] ?? "/") : chosenFolder(folder),
      mostBytes,
    });
    void this.files.sweep();
    const rules = new Rules(wish.rulesPath, log, (id) => grants.lookUp(id) !== undefined);
    this.durable = { people: visiting.devices.file, rules: rules.file };
    this.approvals = new Approvals({
      grants,
      audit,
      onUnknownTimeout: wish.approvals.onUnknownTimeout,
      rules,
      log,
    });
    const seen = screensForAgents(pool, screens);
    const works = agentWorks(wish, this.approvals, screens, seen, this.panels);
    const { pipeline } = works;
    this.agents = new AgentTerminals({ pool, screens: seen, pipeline, programIn });
    this.conversations = openConversations(wish, this.approvals, works);
    this.mcp = new LaterMcp(async () => {
      const { openMcp } = await import("./mcp.ts");
      return openMcp({
        agents: this.agents,
        works,
        hasPanels: wish.panels.isEnabled,
        audit,
        log,
        news: pool,
        open: (grantId, end) => this.#openAgent(grantId, grants, end),
        linkTo: wish.linkToApproval,
        deleted: (caller) => void works.sessions.endThrough(caller),
        fixtures: wish.fixtures,
      });
    });
    const inFront = new RunningPrograms({
      pool,
      frontOf,
      isAnybodyHere: () => hub.present().some(({ door }) => door.name === "people"),
      tell: (running) => {
        const meta = pool.get(running.id)?.meta;
        if (meta === undefined) return;
        const isFor = (_caller: Caller, grant: Grant) => maySee(grant, meta);
        for (const message of runningWords([running])) hub.tell(message, isFor);
      },
    });
    const inactivity = new Inactivity(pool, wish.agentIdleMs);
    const { wallClock } = wish.walls.limits;
    const clock = wallClock === undefined ? undefined : new WallClock(pool, wallClock);
    this.#ends.own(
      () => this.hub.dispose(),
      () => screens.dispose(),
      () => inFront.dispose(),
      () => inactivity.dispose(),
      () => clock?.dispose(),
      () => void this.mcp.close(),
      () => this.panels.dispose(),
      () => this.approvals.dispose(),
      () => this.recordings.dispose(),
      this.approvals.onEvent((event) => this.recordings.mark(approvalMark(event))),
      () => works.dispose(),
      () => this.conversations.dispose(),
      () => this.steppingIn.dispose(),
      () => visiting.dispose(),
      auditRoom(audit, pool, grants),
      previewAgents(pool, log),
      visitors.onEvent((told) => {
        if (told.event === "named") viewers.renamed(told.visitor.caller);
      }),
      // Order matters: the first dialect answers unknown message types.
      this.hub.speak(
        new PtyDialect(
          people,
          this.openness,
          this.steppingIn,
          viewers,
          visitors,
          inFront,
          this.recordings,
        ),
      ),
      this.hub.speak(this.#room),
      this.hub.speak(new ApprovalDialect(this.approvals)),
      this.hub.speak(new ConversationDialect(this.conversations)),
      this.hub.speak(new AuditDialect(audit)),
      this.hub.serve(healthRoute(pool, this.people)),
      this.hub.serve(ptyRoute(this.people)),
      this.hub.serve(this.mcp),
      this.hub.serve(recordingsRoute(this.recordings)),
      this.hub.serve(filesRoute({ files: this.files, people, audit })),
      tellNews(pool, this.hub),
      pool.onEvent(({ event, terminal }) => {
        if (event === "closed") this.approvals.subjectEnded(terminal.id);
      }),
    );
    if (wish.panels.isEnabled) {
      const { panels } = this;
      this.#ends.own(
        this.hub.speak(new PanelDialect(panels, people)),
        this.hub.serve(panelRoute(panels)),
      );
    }
  }

  /** Returns the round trip to a person in milliseconds; undefined if the client does not answer. */
  ping(caller: Caller): Promise<number | undefined> {
    return this.#room.ping(caller);
  }

  dispose(): void {
    this.#ends.dispose();
  }

  /** Registers a caller for an agent's sequence of stateless requests. */
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
