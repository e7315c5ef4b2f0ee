// Owns the requests of the command line to a running bridge over its local socket, and the answers.

import * as z from "zod/mini";
import type { Approval } from "../../../protocol/approval.ts";
import { ApprovalId, ApprovalWord, MAX_REASON_CHARS } from "../../../protocol/approval.ts";
import type { Isolation } from "../../../protocol/isolation.ts";
import { AgentTerms, GrantId, Label, PeopleTerms, Role, Scope } from "../../../protocol/grant.ts";
import type { RecordingRow } from "../../../protocol/http.ts";
import type { RuleRow } from "../../approvals/desk.ts";
import type { ExitCode } from "../../errors.ts";
import type { UnsavedChange } from "../../workspace/durable-file.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import { Columns, Rows, TerminalId } from "../../../protocol/terminal.ts";

/** The code of this run, as a person types it; for requests that widen access. */
const Code = z.optional(z.string().check(z.maxLength(64)));

/** A person, given as an id, a name or a label. */
const PersonSelector = z.string().check(z.minLength(1), z.maxLength(200));

export const ControlRequest = z.discriminatedUnion("verb", [
  z.object({ verb: z.literal("ready"), code: Code }),
  z.object({ verb: z.literal("status") }),
  z.object({ verb: z.literal("terminals") }),
  z.object({ verb: z.literal("grants") }),
  z.extend(AgentTerms, {
    verb: z.literal("share"),
    role: Role,
    scopes: z.array(Scope),
    label: Label,
    expiresInMs: z.int().check(z.gte(1_000)),
    /** Sent from inside a shared terminal: the bridge shows the token instead of returning it. */
    quietly: z.boolean(),
    ...PeopleTerms.shape,
    /** For a client without end-to-end encryption: a token that stays plain in a sealed room. */
    plain: z.optional(z.boolean()),
    code: Code,
  }),
  z.object({ verb: z.literal("revoke"), id: GrantId }),
  z.object({ verb: z.literal("approvals") }),
  z.object({
    verb: z.literal("answer"),
    id: ApprovalId,
    answer: ApprovalWord,
    reason: z.optional(z.string().check(z.maxLength(MAX_REASON_CHARS))),
    code: Code,
  }),
  z.object({ verb: z.literal("rules") }),
  z.object({ verb: z.literal("endRule"), id: z.string().check(z.maxLength(64)) }),
  /** Opens a terminal with the caller's folder, environment and size. */
  z.object({
    verb: z.literal("spawn"),
    cwd: z.string(),
    command: z.optional(z.array(z.string()).check(z.minLength(1))),
    environment: z.record(z.string(), z.string()),
    /** Hidden from agents and view links. */
    private: z.optional(z.boolean()),
    cols: Columns,
    rows: Rows,
  }),
  z.object({ verb: z.literal("close"), id: TerminalId }),
  /** Lets agents type into a terminal, or no longer. */
  z.object({ verb: z.literal("agents-type"), id: TerminalId, on: z.boolean(), code: Code }),
  /** Renames the terminal for everyone; "" restores its own name. */
  z.object({
    verb: z.literal("rename"),
    id: TerminalId,
    name: z.string().check(z.maxLength(200)),
  }),
  /** Pins or unpins the size. */
  z.object({
    verb: z.literal("pin"),
    id: TerminalId,
    on: z.boolean(),
    cols: z.optional(Columns),
    rows: z.optional(Rows),
  }),
  /** Starts or stops recording, to a file of the workspace's state or to `out`. */
  z.object({
    verb: z.literal("record"),
    id: TerminalId,
    on: z.boolean(),
    out: z.optional(z.string().check(z.minLength(1), z.maxLength(4_096))),
  }),
  z.object({ verb: z.literal("recordings") }),
  z.object({ verb: z.literal("people") }),
  z.object({ verb: z.literal("admit"), who: PersonSelector, code: Code }),
  z.object({ verb: z.literal("turn-away"), who: PersonSelector }),
  /** Sets one person's rights; "none" removes them. */
  z.object({
    verb: z.literal("rights"),
    who: PersonSelector,
    role: z.enum(["view", "edit", "none"]),
    code: Code,
  }),
  /** Changes that took rights away and are not on disk yet. */
  z.object({ verb: z.literal("unsaved") }),
  /** Whether requests that widen access need the code now: hints then name `--code`. */
  z.object({ verb: z.literal("needs-code") }),
  z.object({ verb: z.literal("stop") }),
]);
export type ControlRequest = z.infer<typeof ControlRequest>;

/** Addresses of a workspace on a relay. */
export interface WorkspaceAddresses {
  readonly relay: string;
  readonly links: { readonly edit: string; readonly view: string };
  readonly endpoints: {
    readonly peer: string;
    readonly bridge: string;
    readonly mcp: string;
    readonly acp: string;
    readonly health: string;
  };
}

/** State of a bridge when everything is up; the banner shows it. */
export interface Ready extends WorkspaceAddresses {
  readonly event: "ready";
  readonly workspace: string;
  readonly tokens: { readonly edit: string; readonly view: string; readonly agent: string };
  /** Addresses on this machine, if the others are a tunnel's. */
  readonly local?: WorkspaceAddresses;
  /** Tunnel program, and the operator of its other end. */
  readonly tunnel?: string;
  readonly operator?: string;
  /** Whether the room is end-to-end encrypted; `tokens.edit` and `view` then open nothing alone. */
  readonly e2e?: boolean;
  /** With `--knock`: people wait to be let in, except by `own`. */
  readonly knock?: true;
  /** Link of the host's own page, which guests can neither remove nor limit. */
  readonly own: string;
}

/** The line that a bridge prints with `--json`. Only this output contains the code. */
export interface ReadyLine extends Ready {
  readonly code: string;
}

type ReadyLinks = Partial<Pick<WorkspaceAddresses["links"], "edit">> &
  Pick<WorkspaceAddresses["links"], "view">;

/**
 * The bridge's answer at its socket: without the code, it may leave out links and tokens that open
 * a shell.
 */
export interface ReadyAnswer extends Omit<Ready, "links" | "tokens" | "local" | "own"> {
  readonly own?: string;
  readonly links: ReadyLinks;
  readonly local?: Omit<WorkspaceAddresses, "links"> & { readonly links: ReadyLinks };
  readonly tokens: Partial<Omit<Ready["tokens"], "view">> & Pick<Ready["tokens"], "view">;
  /** Minimum isolation of what agents start. */
  readonly isolation?: Isolation;
}

export interface GrantRow extends AgentTerms, PeopleTerms {
  readonly id: string;
  readonly role: Role;
  readonly scopes: Scope[];
  readonly label: string;
  readonly expiresAt: number | null;
  readonly session: boolean;
  /** Link that made it in the page; it ends with that one. */
  readonly madeBy?: string | undefined;
  /** For a link from before a restart: the current link that it is listed with, and ends with. */
  readonly replacedBy?: string | undefined;
  /** Remembered by one browser. */
  readonly remembered?: true;
  /** Whether what its holder sends and sees is end-to-end encrypted. */
  readonly sealed: boolean;
  /** In a sealed room: its holder's traffic passes the relay unencrypted. */
  readonly readable?: true;
}

export interface ShareAnswer {
  readonly grant: GrantRow;
  /** Absent with `quietly`, and for an end-to-end encrypted link. */
  readonly token?: string;
  /** Address of the page; absent with `quietly`, for agents and with `plain`. */
  readonly link?: string;
  /** Why the agent's commands will be refused, if its isolation is not available here. */
  readonly refused?: string;
}

/** Times are Unix ms; latencies are round trips in ms, null without an answer in time. */
export interface Status {
  readonly workspace: string;
  readonly folder: string;
  readonly relay: string;
  /** Whether the relay runs on this machine and ends with the bridge. */
  readonly embedded: boolean;
  /** Whether the room is sealed: end-to-end encrypted for people. */
  readonly e2e: boolean;
  /** In a sealed room: links and tokens whose traffic the relay can read. */
  readonly readable?: { readonly people: number; readonly agents: number };
  /** Tunnel for others; `address` is its last one. */
  readonly tunnel?: { readonly program: string; readonly up: boolean; readonly address: string };
  readonly link: "up" | "down";
  readonly linkSince: number;
  /** With "down": the reason, and the time of the next dial (null: dialling now, or never). */
  readonly problem?: string;
  readonly retryAt?: number | null;
  readonly latency: { readonly relayMs: number | null; readonly ptyHostMs: number | null };
  readonly people: StatusPersonRow[];
  readonly terminals: number;
  readonly terminalsBy: { readonly user: number; readonly agent: number };
  readonly grants: number;
  readonly grantsBy: Record<Role, number>;
  /** Open approvals. */
  readonly approvals: number;
  /** Changes that took rights away, apply now and are not on disk yet; absent if none. */
  readonly unsaved?: UnsavedChange[];
  readonly pid: number;
  readonly startedAt: number;
  readonly version: string;
  readonly node: string;
}

/** One person of `pairpty people`; times are Unix ms. */
export interface VisitorRow {
  readonly id: string;
  readonly state: "here" | "waiting" | "away";
  /** The name that they chose. */
  readonly name?: string;
  /** Label of their link; for removed people, their display name. */
  readonly label: string;
  readonly role: Role | null;
  /** The host limited them to watching. */
  readonly limited?: true;
  /** Ids of terminals. */
  readonly looking?: string;
  readonly typing?: string;
  readonly since: number;
}

export interface StatusPersonRow {
  /** Whether the connection is end-to-end encrypted. */
  readonly sealed: boolean;
  readonly peer: number;
  readonly who: string;
  readonly name?: string;
  readonly grant: string;
  readonly label: string;
  readonly role: Role | null;
  readonly joinedAt: number;
  /** Ids of terminals. */
  readonly attached: string[];
  /** Round trip through the relay to the person. */
  readonly roundTripMs: number | null;
  /** The part between relay and person. */
  readonly relayMs: number | null;
}

export interface ControlAnswers {
  ready: ReadyAnswer;
  status: Status;
  terminals: Terminal[];
  grants: GrantRow[];
  share: ShareAnswer;
  revoke: { revoked: boolean };
  approvals: Approval[];
  answer: { id: string; answer: ApprovalWord };
  rules: RuleRow[];
  endRule: { ended: boolean };
  spawn: Terminal;
  close: { closed: boolean };
  "agents-type": Terminal;
  pin: Terminal;
  rename: Terminal;
  record: { path: string };
  recordings: (RecordingRow & { path: string })[];
  people: VisitorRow[];
  /** `mayCome`: was removed, and may come back. */
  admit: { admitted: string; mayCome?: true };
  /** `knocks`: other browsers have to wait with that link; absent from older bridges. */
  "turn-away": { turnedAway: string; knocks?: true };
  /** `note`: explains a result that is not what was requested. `knocks`: as in `turn-away`. */
  rights: { who: string; role: "view" | "edit" | "none"; note?: string; knocks?: true };
  unsaved: UnsavedChange[];
  "needs-code": { needed: boolean };
  /**
   * `ended`: what ends with it, in words; absent from older bridges. `unsaved`: changes that the next start
   * may undo; saving them is tried once more at the end.
   */
  stop: { stopping: boolean; ended?: string; unsaved?: UnsavedChange[] };
}

export type ControlReply =
  | { readonly ok: true; readonly value: ControlAnswers[keyof ControlAnswers] }
  | {
      readonly ok: false;
      readonly error: string;
      readonly hint?: string;
      readonly code?: ExitCode;
    };
