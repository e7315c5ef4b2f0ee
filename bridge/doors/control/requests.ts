// Owns what the command line's verbs ask a running bridge, over its local socket, and the answers.

import * as z from "zod/mini";
import type { Approval } from "../../../protocol/approval.ts";
import { ApprovalId, ApprovalWord, MAX_REASON_CHARS } from "../../../protocol/approval.ts";
import type { Isolation } from "../../../protocol/isolation.ts";
import { AgentTerms, GrantId, Label, PeopleTerms, Role, Scope } from "../../../protocol/grant.ts";
import type { RecordingRow } from "../../../protocol/recordings.ts";
import type { RuleRow } from "../../approvals/desk.ts";
import type { ExitCode } from "../../errors.ts";
import type { Unsaved } from "../../workspace/durable-file.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import { Columns, Rows, TerminalId } from "../../../protocol/terminal.ts";

/** Of this run of the bridge, for what widens: as a person types it. */
const Code = z.optional(z.string().check(z.maxLength(64)));

/** A person, as somebody writes it: an id, a name, a label. */
const Who = z.string().check(z.minLength(1), z.maxLength(200));

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
    /** Asked from inside a shared terminal: the token is shown by the bridge, not returned. */
    quietly: z.boolean(),
    ...PeopleTerms.shape,
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
  /** A terminal of the caller's own: its folder, its environment, its size. */
  z.object({
    verb: z.literal("spawn"),
    cwd: z.string(),
    command: z.optional(z.array(z.string()).check(z.minLength(1))),
    environment: z.record(z.string(), z.string()),
    /** No agent and no view link knows of it. */
    private: z.optional(z.boolean()),
    cols: Columns,
    rows: Rows,
  }),
  z.object({ verb: z.literal("close"), id: TerminalId }),
  /** Whether agents may type into a terminal. */
  z.object({ verb: z.literal("agents-type"), id: TerminalId, on: z.boolean(), code: Code }),
  /** What everybody calls it; "" gives it back its own name. */
  z.object({
    verb: z.literal("rename"),
    id: TerminalId,
    name: z.string().check(z.maxLength(200)),
  }),
  /** Its size stays so, whoever types. */
  z.object({
    verb: z.literal("pin"),
    id: TerminalId,
    on: z.boolean(),
    cols: z.optional(Columns),
    rows: z.optional(Rows),
  }),
  /** Record a terminal from now on, to a file of the workspace's state or to `out`; or stop. */
  z.object({
    verb: z.literal("record"),
    id: TerminalId,
    on: z.boolean(),
    out: z.optional(z.string().check(z.minLength(1), z.maxLength(4_096))),
  }),
  z.object({ verb: z.literal("recordings") }),
  z.object({ verb: z.literal("people") }),
  z.object({ verb: z.literal("admit"), who: Who, code: Code }),
  z.object({ verb: z.literal("turn-away"), who: Who }),
  /** What one person may do from now on; "none" sends them away. */
  z.object({
    verb: z.literal("rights"),
    who: Who,
    role: z.enum(["view", "edit", "none"]),
    code: Code,
  }),
  /** What was taken away from somebody and is not on the disk yet. */
  z.object({ verb: z.literal("unsaved") }),
  /** Whether what widens needs the code now: hints name `--code` where it does. */
  z.object({ verb: z.literal("needs-code") }),
  z.object({ verb: z.literal("stop") }),
]);
export type ControlRequest = z.infer<typeof ControlRequest>;

/** Where a workspace is reached on a relay. */
export interface Places {
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

/** What a bridge knows of itself when everything is up: the source of the banner. */
export interface Ready extends Places {
  readonly event: "ready";
  readonly workspace: string;
  readonly tokens: { readonly edit: string; readonly view: string; readonly agent: string };
  /** With a tunnel, whose the other addresses are: those of this machine. */
  readonly local?: Places;
  /** The program that makes the tunnel, and whoever runs its other end. */
  readonly tunnel?: string;
  readonly operator?: string;
  /** With `--knock`: whoever comes waits, but by `own`. */
  readonly knock?: true;
  /** The link of the host's own page, which guests can neither remove nor limit. */
  readonly own: string;
}

/** The line that a bridge prints with `--json`. The code is on its own output and nowhere else. */
export interface ReadyLine extends Ready {
  readonly code: string;
}

type LinksTold = Partial<Pick<Places["links"], "edit">> & Pick<Places["links"], "view">;

/** What a bridge tells at its socket: without the code, what opens a shell may be left out. */
export interface ReadyTold extends Omit<Ready, "links" | "tokens" | "local" | "own"> {
  readonly own?: string;
  readonly links: LinksTold;
  readonly local?: Omit<Places, "links"> & { readonly links: LinksTold };
  readonly tokens: Partial<Omit<Ready["tokens"], "view">> & Pick<Ready["tokens"], "view">;
  /** The least isolation of what agents start. */
  readonly isolation?: Isolation;
}

export interface GrantRow extends AgentTerms, PeopleTerms {
  readonly id: string;
  readonly role: Role;
  readonly scopes: Scope[];
  readonly label: string;
  readonly expiresAt: number | null;
  readonly session: boolean;
  /** The link by which it was made, in the page: it ends with that one. */
  readonly madeBy?: string | undefined;
  /** From before a restart: it is listed with this link, and ends with it. */
  readonly replacedBy?: string | undefined;
  /** It is one browser's own. */
  readonly remembered?: true;
}

export interface Shared {
  readonly grant: GrantRow;
  /** Absent when asked quietly. */
  readonly token?: string;
  /** The page for people; absent for agents. */
  readonly link?: string;
  /** Why what the agent starts will be refused, where its isolation is not available here. */
  readonly refused?: string;
}

/** Times are Unix ms; latencies ms there and back, null where nothing answered in time. */
export interface Status {
  readonly workspace: string;
  readonly folder: string;
  readonly relay: string;
  /** The relay runs on this machine and ends with the bridge. */
  readonly embedded: boolean;
  /** By which others reach it; `address` is the last that it had. */
  readonly tunnel?: { readonly program: string; readonly up: boolean; readonly address: string };
  readonly link: "up" | "down";
  readonly linkSince: number;
  /** With "down": why, and when it is dialled next (null: being dialled now, or never). */
  readonly problem?: string;
  readonly retryAt?: number | null;
  readonly latency: { readonly relayMs: number | null; readonly ptyHostMs: number | null };
  readonly people: PersonRow[];
  readonly terminals: number;
  readonly terminalsBy: { readonly user: number; readonly agent: number };
  readonly grants: number;
  readonly grantsBy: Record<Role, number>;
  /** Questions of agents that nobody has answered. */
  readonly approvals: number;
  /** What was taken away from somebody, holds now, and is not on the disk yet; absent where nothing is. */
  readonly unsaved?: Unsaved[];
  readonly pid: number;
  readonly startedAt: number;
  readonly version: string;
  readonly node: string;
}

/** One person of `pairpty people`; times are Unix ms. */
export interface VisitorRow {
  readonly id: string;
  readonly state: "here" | "waiting" | "away";
  /** What they call themselves. */
  readonly name?: string;
  /** Of their link; for those who were sent away, what they were called. */
  readonly label: string;
  readonly role: Role | null;
  /** The host took their right to type. */
  readonly limited?: true;
  /** Ids of terminals. */
  readonly looking?: string;
  readonly typing?: string;
  readonly since: number;
}

export interface PersonRow {
  readonly peer: number;
  readonly who: string;
  readonly name?: string;
  readonly grant: string;
  readonly label: string;
  readonly role: Role | null;
  readonly joinedAt: number;
  /** Ids of terminals. */
  readonly attached: string[];
  /** Through the relay to the person and back. */
  readonly roundTripMs: number | null;
  /** The part of it between relay and person. */
  readonly relayMs: number | null;
}

export interface ControlAnswers {
  ready: ReadyTold;
  status: Status;
  terminals: Terminal[];
  grants: GrantRow[];
  share: Shared;
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
  /** `mayCome`: was sent away, and may come again. */
  admit: { admitted: string; mayCome?: true };
  "turn-away": { turnedAway: string };
  /** `note`: what is so now, where it is not what was asked for. */
  rights: { who: string; role: "view" | "edit" | "none"; note?: string };
  unsaved: Unsaved[];
  "needs-code": { needed: boolean };
  /** `ended`: what ends with it, in words; absent from older bridges. `unsaved`: what the next start may undo; it is tried once more as the last thing. */
  stop: { stopping: boolean; ended?: string; unsaved?: Unsaved[] };
}

export type ControlReply =
  | { readonly ok: true; readonly value: ControlAnswers[keyof ControlAnswers] }
  | {
      readonly ok: false;
      readonly error: string;
      readonly hint?: string;
      readonly code?: ExitCode;
    };
