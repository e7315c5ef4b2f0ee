// Builds the parts of a run, one function per part. The order of construction and disposal is in
// run.ts.

import { join } from "node:path";
import { workspacePath } from "../../protocol/workspace.ts";
import { rulesFile } from "../approvals/rules.ts";
import { AuditLog } from "../audit/log.ts";
import { builtFile } from "../built-file.ts";
import { Widening } from "../callers/widening.ts";
import type { GrantTable } from "../grants/table.ts";
import type { RelayAddress } from "../link/address.ts";
import type { Credentials } from "../link/handshake.ts";
import { devicesFile } from "../people/devices.ts";
import { wallFolders } from "../providers/place.ts";
import { Walls } from "../providers/walls.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { isStartedByAgent } from "../terminals/terminal.ts";
import { folderName } from "../workspace/folder-name.ts";
import { ownPlaces } from "../workspace/folders.ts";
import type { Identity } from "../workspace/identity.ts";
import type { LeftState } from "./host-state.ts";
import type { RunOptions } from "./options.ts";
import { personEvent } from "./persons.ts";
import type { SessionsWish } from "./room.ts";
import { Room } from "./room.ts";

export function openAudit({ folders, log }: RunOptions): AuditLog {
  return new AuditLog(join(folders.state, "audit.log"), (problem) =>
    log.error(`the audit log cannot be written: ${problem}`),
  );
}

export function wallsOf(options: RunOptions): Walls {
  const { folders, shell, isolation, log } = options;
  const place = {
    ...wallFolders(folders),
    roots: rootsOf(options),
    ownFolders: ownPlaces(folders).ownFolders,
    shell,
    letThrough: new Set(options.agentEnvironment),
  };
  return new Walls(place, isolation, { log });
}

/** Opens the code gate. `left` is the state that the previous bridge stored with the pty host. */
export function openWidening(
  { log }: RunOptions,
  { pool, grants, audit }: Pick<RoomGround, "pool" | "grants" | "audit">,
  left: Pick<LeftState, "hasAgentCalled">,
): Widening {
  return new Widening({
    // Running agent terminals prove a call that an older bridge did not record.
    hasAgentCalled:
      left.hasAgentCalled || pool.running().some(({ meta }) => isStartedByAgent(meta)),
    onFirstCall: () => {
      log.info("the first call of an agent: requests that widen access now need the code");
      // Stored before the call is served, so that a bridge that takes over knows it.
      grants.tellSession();
    },
    onWrong: () => audit.write({ event: "wrong code", label: "this machine" }),
  });
}

export interface RoomGround {
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly audit: AuditLog;
  readonly walls: Walls;
  readonly widening: Widening;
  readonly environment: NodeJS.ProcessEnv;
  readonly sessions: SessionsWish;
  /** The relay's address as others reach it; links use it. */
  readonly reach: () => RelayAddress;
  /** The tunnel's address; undefined without a tunnel. */
  readonly tunnel: () => RelayAddress | undefined;
  /** Resolves when the relay's room knows every grant. */
  readonly confirmed: () => Promise<void>;
}

export function openRoom(options: RunOptions, ground: RoomGround): Room {
  const { folders, identity, onEvent } = options;
  const { reach, tunnel, confirmed, ...parts } = ground;
  const at = (path?: string) => `${reach().origin}${workspacePath(identity.workspace, path)}`;
  return new Room({
    ...options,
    ...parts,
    roots: rootsOf(options),
    own: ownPlaces(folders),
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
    visits: {
      devicesPath: devicesFile(folders.state),
      isKnockOn: options.knock,
      folder: folderName(folders, identity.workspace),
      linkWith: (token) => `${at()}#${token}`,
      address: () => tunnel()?.origin,
      confirmed,
      onDecided: (decided) => onEvent({ event: "person_decided", ...decided }),
    },
    linkToApproval: (id) => at(`/approve/${id}`),
  });
}

/** Forwards events of people, approvals and terminals to `onEvent`. Returns the unsubscribers. */
export function tellEvents(
  { onEvent }: Pick<RunOptions, "onEvent">,
  { approvals, visitors }: Pick<Room, "approvals" | "visitors">,
  { pool, grants }: Pick<RoomGround, "pool" | "grants">,
): (() => void)[] {
  return [
    approvals.onEvent(({ type: _type, ...event }) => {
      if ("approval" in event) onEvent({ event: "approval_requested", ...event });
      else onEvent({ event: "approval_settled", ...event });
    }),
    visitors.onEvent((told) => {
      if (told.event !== "changed") onEvent(personEvent(told, grants));
    }),
    pool.onEvent(({ event, terminal, exit }) => {
      if (event === "created") onEvent({ event: "terminal_created", terminal });
      if (event === "promoted") onEvent({ event: "terminal_promoted", terminal });
      if (event === "closed") onEvent({ event: "terminal_closed", terminal, exit });
    }),
  ];
}

export function credentialsOf(identity: Identity, relayKey: string | undefined): Credentials {
  return {
    workspace: identity.workspace,
    publicKey: identity.publicKey,
    sign: (text) => identity.sign(text),
    ...(relayKey === undefined ? {} : { relayKey }),
  };
}

function rootsOf({ folders, agentRoots }: RunOptions): string[] {
  return [folders.folder, ...agentRoots];
}
