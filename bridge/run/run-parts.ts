// Builds the parts of a run, one function per part. The order of construction and disposal is in
// bridge-run.ts.

import { join } from "node:path";
import { workspacePath } from "../../protocol/workspace.ts";
import { rulesFile } from "../approvals/approval-rules.ts";
import { AuditLog } from "../audit/audit-log.ts";
import { builtFile } from "../build-info.ts";
import { ElevationGate } from "../callers/elevation-gate.ts";
import type { GrantTable } from "../grants/grant-table.ts";
import type { RelayAddress } from "../link/relay-address.ts";
import type { Credentials } from "../link/handshake.ts";
import { getDevicesFile } from "../people/devices.ts";
import { toSandboxFolders } from "../isolation/sandbox-locations.ts";
import { IsolationService } from "../isolation/isolation-service.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { isStartedByAgent } from "../terminals/terminal.ts";
import { getFolderName } from "../workspace/identity.ts";
import { getOwnPaths } from "../workspace/folders.ts";
import type { Identity } from "../workspace/identity.ts";
import type { FirstLink } from "./first-link.ts";
import type { StoredRunState } from "./host-state.ts";
import type { RunOptions } from "./run-options.ts";
import { toBridgeEvent } from "./present-peers.ts";
import type { RoomLinkDeps } from "./room-link.ts";
import { RoomLink } from "./room-link.ts";
import type { SessionNumbering } from "./room.ts";
import { Room } from "./room.ts";
import type { SealedRoom } from "./sealed-room.ts";

export function openAudit({ folders, log }: RunOptions): AuditLog {
  return new AuditLog(join(folders.state, "audit.log"), (problem) =>
    log.error(`the audit log cannot be written: ${problem}`),
  );
}

export function createIsolation(options: RunOptions): IsolationService {
  const { folders, shell, isolation, log } = options;
  const place = {
    ...toSandboxFolders(folders),
    roots: getAgentRoots(options),
    ownFolders: getOwnPaths(folders).ownFolders,
    shell,
    envAllowlist: new Set(options.agentEnvironment),
  };
  return new IsolationService(place, isolation, { log });
}

/** Opens the code gate. `left` is the state that the previous bridge stored with the pty host. */
export function openElevationGate(
  { log }: RunOptions,
  { pool, grants, audit }: Pick<RoomOpenDeps, "pool" | "grants" | "audit">,
  left: Pick<StoredRunState, "hasAgentCalled">,
): ElevationGate {
  return new ElevationGate({
    // Running agent terminals prove a call that an older bridge did not record.
    hasAgentCalled:
      left.hasAgentCalled || pool.running().some(({ meta }) => isStartedByAgent(meta)),
    onFirstCall: () => {
      log.info("the first call of an agent: requests that widen access now need the code");
      // Stored before the call is served, so that a bridge that takes over knows it.
      grants.republishSession();
    },
    onWrong: () => audit.write({ event: "wrong code", label: "this machine" }),
  });
}

export interface RoomOpenDeps {
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly audit: AuditLog;
  readonly isolationService: IsolationService;
  readonly elevationGate: ElevationGate;
  readonly environment: NodeJS.ProcessEnv;
  readonly sessions: SessionNumbering;
  /** The relay's address as others reach it; links use it. */
  readonly getPublicAddress: () => RelayAddress;
  /** The tunnel's address; undefined without a tunnel. */
  readonly tunnel: () => RelayAddress | undefined;
  /** Undefined in a plain room. */
  readonly sealed: SealedRoom | undefined;
  /** Resolves when the relay's room knows every grant. */
  readonly confirmed: () => Promise<void>;
}

export function openRoom(options: RunOptions, deps: RoomOpenDeps): Room {
  const { folders, identity, onEvent } = options;
  const { getPublicAddress, tunnel, confirmed, ...roomDeps } = deps;
  const at = (path?: string) =>
    `${getPublicAddress().origin}${workspacePath(identity.workspace, path)}`;
  return new Room({
    ...options,
    ...roomDeps,
    roots: getAgentRoots(options),
    ownPaths: getOwnPaths(folders),
    recordings: { folder: join(folders.state, "recordings"), ...options.recordings },
    tools: {
      local: {
        command: process.execPath,
        args: [builtFile("cli.js"), "mcp", "--cwd", folders.folder],
      },
      url: () => at("/mcp"),
    },
    conversationsPath: join(folders.state, "conversations"),
    rulesPath: rulesFile(folders.state),
    visitors: {
      devicesPath: getDevicesFile(folders.state),
      isKnockOn: options.knock,
      folder: getFolderName(folders, identity.workspace),
      linkWith: (link) => `${at()}#${link}`,
      getAddress: () => tunnel()?.origin,
      confirmed,
      onDecided: (decided) => onEvent({ event: "person_decided", ...decided }),
    },
    linkToApproval: (id) => at(`/approve/${id}`),
  });
}

export type LinkOpenDeps = Pick<
  RoomLinkDeps,
  | "address"
  | "agents"
  | "grants"
  | "hub"
  | "instance"
  | "isSealed"
  | "isTakeover"
  | "messages"
  | "pool"
  | "route"
  | "viewers"
> & {
  /** Claims need it while a tunnel is open; undefined without a tunnel. */
  readonly tunnelKey: string | undefined;
  /** Gets each event before the run's own listeners. */
  readonly firstLink: Pick<FirstLink, "onDialFailed" | "onEvent">;
};

export function openLink(options: RunOptions, deps: LinkOpenDeps): RoomLink {
  const { folders, identity, relayKey, graceMs, onEvent, onDialFailed, log } = options;
  const { tunnelKey, firstLink, ...linkDeps } = deps;
  return new RoomLink({
    ...linkDeps,
    log,
    folder: folders.folder,
    credentials: toCredentials(identity, tunnelKey ?? relayKey),
    graceMs,
    onEvent: (event) => {
      if (event.event === "link_up") identity.keepName();
      firstLink.onEvent(event);
      onEvent(event);
    },
    onDialFailed: (problem) => {
      firstLink.onDialFailed(problem);
      onDialFailed(problem);
    },
  });
}

/** Forwards events of people, approvals and terminals to `onEvent`. Returns the unsubscribers. */
export function forwardEvents(
  { onEvent }: Pick<RunOptions, "onEvent">,
  { approvals, visitors }: Pick<Room, "approvals" | "visitors">,
  { pool, grants }: Pick<RoomOpenDeps, "pool" | "grants">,
): (() => void)[] {
  return [
    approvals.onEvent(({ type: _type, ...event }) => {
      if ("approval" in event) onEvent({ event: "approval_requested", ...event });
      else onEvent({ event: "approval_settled", ...event });
    }),
    visitors.onEvent((event) => {
      if (event.event !== "changed") onEvent(toBridgeEvent(event, grants));
    }),
    pool.onEvent(({ event, terminal, exit }) => {
      if (event === "created") onEvent({ event: "terminal_created", terminal });
      if (event === "promoted") onEvent({ event: "terminal_promoted", terminal });
      if (event === "closed") onEvent({ event: "terminal_closed", terminal, exit });
    }),
  ];
}

export function toCredentials(identity: Identity, relayKey: string | undefined): Credentials {
  return {
    workspace: identity.workspace,
    publicKey: identity.publicKey,
    sign: (text) => identity.sign(text),
    ...(relayKey === undefined ? {} : { relayKey }),
  };
}

function getAgentRoots({ folders, agentRoots }: RunOptions): string[] {
  return [folders.folder, ...agentRoots];
}
