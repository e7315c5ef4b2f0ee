// Assembles the room of one bridge: hub, services and viewers over the terminals. Dialects and routes
// are registered in room-dialects.ts. Opens no socket and starts no process: doors, link and pty host
// belong to the run.

import type { AuditLog } from "../audit/audit-log.ts";
import { auditRoom } from "../audit/room-audit.ts";
import { InactivityTimeout, TimeLimit } from "../agents/terminal-timers.ts";
import { startPreviews } from "../agents/output-previews.ts";
import { AgentTerminals } from "../agents/agent-terminals.ts";
import { screensForAgents } from "../agents/agent-visibility.ts";
import { Approvals } from "../approvals/approvals.ts";
import { Rules } from "../approvals/approval-rules.ts";
import type { Caller } from "../callers/caller.ts";
import type { Conversations } from "../conversations/conversations.ts";
import type { GetChannelMessages } from "../channels/channel-table.ts";
import { isPanel } from "../channels/rendition.ts";
import { Hub } from "../callers/hub.ts";
import { ProofGate } from "../callers/proof-gate.ts";
import { canSee } from "../callers/permissions.ts";
import type { ElevationGate } from "../callers/elevation-gate.ts";
import type { Fixtures } from "../dialects/mcp/dialect.ts";
import { LazyMcpRoute } from "../dialects/mcp/lazy-mcp-route.ts";
import { toPanelViewerMessages, encodePanelEvent } from "../dialects/panel/dialect.ts";
import {
  broadcastTerminalNews,
  encodeEvent,
  encodeRunning,
  PTY_MESSAGES,
} from "../dialects/pty/pty-messages.ts";
import type { RoomDialect } from "../dialects/room/dialect.ts";
import { DisposableStore } from "../disposable-store.ts";
import { toConfiguredFolder, toTemporaryFolder } from "../files/upload-folder.ts";
import { FileReceiver } from "../files/file-receiver.ts";
import type { Grant, GrantTable } from "../grants/grant-table.ts";
import type { Log } from "../log.ts";
import { Panels } from "../panels/panels.ts";
import type { Moderation } from "../people/moderation.ts";
import { TerminalSharing } from "../people/terminal-sharing.ts";
import { ForegroundPrograms } from "../people/foreground-programs.ts";
import { PeopleTerminals } from "../people/people-terminals.ts";
import { SteppingIn } from "../people/stepping-in.ts";
import { toPersonKey } from "../people/visitor.ts";
import type { PresenceTracker } from "../people/presence-tracker.ts";
import type { PolicyContext } from "../policy/policy.ts";
import type { IsolationService } from "../isolation/isolation-service.ts";
import { getForeground, findFrontProgram, getProgramName } from "../processes/foreground.ts";
import { formatApprovalMarker } from "../recordings/recorder.ts";
import { SealedGate } from "../sealed/sealed-gate.ts";
import { Recordings } from "../recordings/recordings.ts";
import { Screens } from "../screens/screens.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { DurableFile } from "../workspace/durable-file.ts";
import { Viewers } from "../viewers/viewers.ts";
import type { MessagesByRendition } from "../viewers/viewer-ports.ts";
import { openAgentServices } from "./agent-services.ts";
import { toChannelMessages } from "../viewers/viewer-ports.ts";
import { openConversations } from "./conversation-services.ts";
import { registerDialects } from "./room-dialects.ts";
import type { RoomSettings } from "./run-options.ts";
import type { SealedRoom } from "./sealed-room.ts";
import type { VisitorOptions } from "./visitor-services.ts";
import { openVisitorServices } from "./visitor-services.ts";

/** The pty host's part in agents' commands and sessions. */
export interface SessionNumbering {
  /** The highest session number given so far. */
  readonly last: number;
  /** Stores the number with the host. */
  readonly keepLast: (number: number) => void;
  readonly instance: () => string;
}

export interface RoomDeps extends RoomSettings {
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly audit: AuditLog;
  readonly elevationGate: Pick<ElevationGate, "recordAgentCall" | "checkCode">;
  readonly log: Log;
  readonly environment: NodeJS.ProcessEnv;
  /** Folders in which agents may start processes, as real paths; the workspace's folder comes first. */
  readonly roots: readonly string[];
  /** Pairpty's own files, which no agent may touch. */
  readonly ownPaths: Pick<PolicyContext, "ownFolders" | "ownProgram">;
  readonly isolationService: IsolationService;
  /** Test fixtures that a test suite adds to every MCP server; undefined in normal use. */
  readonly fixtures?: Fixtures | undefined;
  readonly sessions: SessionNumbering;
  /** Folder and size limit of recordings. */
  readonly recordings: { readonly folder: string; readonly maxBytes: number };
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
  readonly visitors: VisitorOptions;
  /** Set if the room is end-to-end encrypted. */
  readonly sealed?: SealedRoom | undefined;
}

export class Room {
  readonly hub: Hub;
  readonly people: PeopleTerminals;
  readonly terminalSharing: TerminalSharing;
  readonly steppingIn: SteppingIn;
  readonly agents: AgentTerminals;
  readonly approvals: Approvals;
  readonly viewers: Viewers;
  readonly mcp: LazyMcpRoute;
  readonly panels: Panels;
  /** Coding agents that speak ACP connect here. */
  readonly conversations: Conversations;
  readonly getMessages: GetChannelMessages;
  readonly visitors: PresenceTracker;
  readonly moderation: Moderation;
  readonly files: FileReceiver;
  readonly recordings: Recordings;
  /** Files with the host's decisions about browsers and the standing approvals. */
  readonly durable: { readonly people: DurableFile; readonly rules: DurableFile };
  readonly #roomDialect: RoomDialect;
  readonly #disposables = new DisposableStore();

  constructor(deps: RoomDeps) {
    const { pool, grants, audit, log } = deps;
    const screens = new Screens(pool, log);
    this.hub = new Hub(grants, log, deps.elevationGate);
    this.hub.addGate(new ProofGate({ grants, log, hasHandshakes: deps.sealed !== undefined }));
    if (deps.sealed !== undefined)
      this.hub.addGate(new SealedGate({ ...deps.sealed, grants, hub: this.hub, log }));
    const panelMessages = toPanelViewerMessages((id) => pool.get(id)?.meta.panel);
    const messagesByRendition: MessagesByRendition = (rendition) =>
      isPanel(rendition) ? panelMessages : PTY_MESSAGES;
    this.getMessages = toChannelMessages(messagesByRendition);
    this.viewers = new Viewers(pool, screens, messagesByRendition, log);
    this.people = new PeopleTerminals(pool, {
      hasSteppedIn: (caller, terminal) => this.steppingIn.hasSteppedIn(caller, terminal),
      onTyped: (caller, terminal, grant) => this.recordings.onTyping(caller, terminal, grant),
      viewers: this.viewers,
      toPersonKey: (caller) => toPersonKey(caller, this.visitors.find(caller)),
    });
    const { people, viewers, hub } = this;
    const visitorServices = openVisitorServices(
      {
        hub,
        grants,
        viewers,
        terminal: (id) => pool.get(id),
        audit,
        log,
      },
      deps.visitors,
    );
    const { visitors, moderation } = visitorServices;
    this.visitors = visitors;
    this.moderation = moderation;
    this.#roomDialect = visitorServices.dialect;
    this.terminalSharing = new TerminalSharing({ pool, people, viewers, hub, grants });
    this.steppingIn = new SteppingIn({
      pool,
      viewers,
      audit,
      log,
      findForeground: getForeground,
      sendForeground: (caller, foreground) =>
        caller.send(encodeEvent("pty:foreground", foreground)),
    });
    this.panels = new Panels({
      pool,
      people: this.people,
      viewers: this.viewers,
      screens,
      settings: deps.panels,
      log,
      encode: encodePanelEvent,
    });
    this.recordings = new Recordings({
      ...deps.recordings,
      pool,
      takeSnapshot: (terminal) => screens.visibleSnapshot(terminal),
      getDenialReason: (caller, act) => people.denialReason(caller, act),
      notify: ({ meta }, event) =>
        hub.broadcast(encodeEvent("pty:recording", event), (_caller, grant) => canSee(grant, meta)),
      audit,
      log,
    });
    const { folder, maxBytes } = deps.files;
    this.files = new FileReceiver({
      folder:
        folder === undefined ? toTemporaryFolder(deps.roots[0] ?? "/") : toConfiguredFolder(folder),
      maxBytes,
    });
    void this.files.removeOldPartials();
    const rules = new Rules(deps.rulesPath, log, (id) => grants.lookUp(id) !== undefined);
    this.durable = { people: visitorServices.devices.file, rules: rules.file };
    this.approvals = new Approvals({
      grants,
      audit,
      onUnknownTimeout: deps.approvals.onUnknownTimeout,
      rules,
      log,
    });
    const agentScreens = screensForAgents(pool, screens);
    const agentServices = openAgentServices(
      deps,
      this.approvals,
      screens,
      agentScreens,
      this.panels,
    );
    const { pipeline } = agentServices;
    this.agents = new AgentTerminals({
      pool,
      screens: agentScreens,
      pipeline,
      findProgram: getProgramName,
    });
    this.conversations = openConversations(deps, this.approvals, agentServices);
    this.mcp = new LazyMcpRoute(async () => {
      const { openMcp } = await import("./open-mcp.ts");
      return openMcp({
        agents: this.agents,
        services: agentServices,
        hasPanels: deps.panels.isEnabled,
        audit,
        log,
        events: pool,
        hub,
        grants,
        linkTo: deps.linkToApproval,
        onSessionDeleted: (caller) => void agentServices.sessions.endThrough(caller),
        fixtures: deps.fixtures,
      });
    });
    const runningPrograms = new ForegroundPrograms({
      pool,
      findForeground: findFrontProgram,
      isAnyoneHere: () => hub.listAdmitted().some(({ door }) => door.name === "people"),
      send: (running) => {
        const meta = pool.get(running.id)?.meta;
        if (meta === undefined) return;
        const isFor = (_caller: Caller, grant: Grant) => canSee(grant, meta);
        for (const message of encodeRunning([running])) hub.broadcast(message, isFor);
      },
    });
    const inactivity = new InactivityTimeout(pool, deps.agentIdleMs);
    const { wallClock } = deps.isolationService.limits;
    const clock = wallClock === undefined ? undefined : new TimeLimit(pool, wallClock);
    this.#disposables.add(
      () => this.hub.dispose(),
      () => screens.dispose(),
      () => runningPrograms.dispose(),
      () => inactivity.dispose(),
      () => clock?.dispose(),
      () => void this.mcp.close(),
      () => this.panels.dispose(),
      () => this.approvals.dispose(),
      () => this.recordings.dispose(),
      this.approvals.onEvent((event) => this.recordings.mark(formatApprovalMarker(event))),
      () => agentServices.dispose(),
      () => this.conversations.dispose(),
      () => this.steppingIn.dispose(),
      () => visitorServices.dispose(),
      auditRoom(audit, pool, grants),
      startPreviews(pool, log),
      visitors.onEvent((event) => {
        if (event.event === "named") viewers.onRenamed(event.visitor.caller);
      }),
      ...registerDialects(this, {
        pool,
        audit,
        roomDialect: this.#roomDialect,
        foreground: runningPrograms,
        hasPanels: deps.panels.isEnabled,
      }),
      broadcastTerminalNews(pool, this.hub),
      pool.onEvent(({ event, terminal }, before) => {
        if (event === "closed") this.approvals.onSubjectEnded(terminal.id);
        const isPrivate = pool.get(terminal.id)?.meta.private;
        if (before !== undefined && before.private !== isPrivate) visitors.onVisibilityChanged();
      }),
    );
  }

  /** Returns the round trip to a person in milliseconds; undefined if the client does not answer. */
  ping(caller: Caller): Promise<number | undefined> {
    return this.#roomDialect.ping(caller);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
