// Owns the rules made by the answers `session` and `prefix`: which calls they allow, and their file
// in the workspace's state folder. A rule belongs to a grant and ends with it. A new rule is on
// disk before it allows anything; a removed one stops counting immediately. Also owns which files
// an agent can write, for lasting answers.

import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, dirname } from "node:path";
import * as z from "zod/mini";
import type { Approval } from "../../protocol/approval.ts";
import { Isolation } from "../../protocol/isolation.ts";
import { parseText } from "../../protocol/json.ts";
import { findSystemCode } from "../errors.ts";
import type { Log } from "../log.ts";
import type { FileSystem } from "../workspace/durable-file.ts";
import { DurableFile } from "../workspace/durable-file.ts";
import type { ApprovalBasis, FileFingerprint } from "./approval-basis.ts";
import type { RuleRow } from "./desk.ts";

/** More than a person reads through; the oldest are dropped. */
const MAX_RULES = 256;

const FileFingerprintSchema = z.object({ path: z.string(), stamp: z.string() });

const common = {
  id: z.string(),
  grant: z.string(),
  label: z.string(),
  allows: z.string(),
  cwd: z.string(),
  madeAt: z.int(),
};

const Rule = z.discriminatedUnion("kind", [
  z.object({
    ...common,
    kind: z.literal("session"),
    /** Digest of the one plan that the rule allows. */
    key: z.string(),
    programs: z.array(FileFingerprintSchema),
  }),
  z.object({
    ...common,
    kind: z.literal("prefix"),
    name: z.string(),
    verb: z.string(),
    /** Absent in rules of older versions, which allow no operand outside. */
    reach: z.optional(z.array(z.string())),
    program: FileFingerprintSchema,
    isolation: Isolation,
    /** Digest of the reasons for the original approval; absent in rules of older versions. */
    reasons: z.optional(z.string()),
  }),
]);
export type Rule = z.infer<typeof Rule>;

const Stored = z.object({ version: z.literal(1), rules: z.array(Rule) });

export function rulesFile(stateFolder: string): string {
  return join(stateFolder, "rules.json");
}

/** A call that a rule may allow. */
export interface Claim {
  readonly grant: string;
  readonly key: string;
  readonly cwd: string;
  readonly isolation: Isolation;
  readonly verdict: Approval["verdict"];
  readonly basis: ApprovalBasis | undefined;
  /** Digest of the judgement's reasons; undefined if they are unknown. */
  readonly reasons: string | undefined;
  /** Id of the running terminal that the call is about, if any. */
  readonly subject?: string | undefined;
}

interface RuleOrigin {
  readonly id: string;
  readonly madeAt: number;
}

export class Rules {
  /** Knows whether the last change is on disk. */
  readonly file: DurableFile;
  #rules: readonly Rule[];

  constructor(
    path: string,
    log: Pick<Log, "error" | "info">,
    isAlive: (grant: string) => boolean,
    disk?: FileSystem,
  ) {
    this.file = new DurableFile({ path, what: "standing rules", log, disk });
    // Drops rules of grants that ended while no bridge ran.
    this.#rules = this.#read(path, log).filter(({ grant }) => isAlive(grant));
  }

  list(): RuleRow[] {
    return this.#rules.map(({ id, kind, grant, label, allows, cwd, madeAt }) => ({
      id,
      kind,
      grant,
      label,
      allows,
      cwd,
      madeAt,
    }));
  }

  find(claim: Claim): Rule | undefined {
    return this.#rules.find((rule) => matches(rule, claim));
  }

  /** Adds a rule; undefined if this call cannot have one. Throws `NotSavedError` if the disk refuses. */
  add(kind: Rule["kind"], made: RuleOrigin, approval: Approval, claim: Claim): Rule | undefined {
    const rule = buildRule(kind, made, approval, claim);
    if (rule === undefined) return undefined;
    // Replaces a rule from an earlier identical answer.
    const others = this.#rules.filter((other) => !matches(other, claim) || other.kind !== kind);
    const rules = [...others, rule].slice(-MAX_RULES);
    this.file.widen(toText(rules), "no rule was made");
    this.#rules = rules;
    return rule;
  }

  end(id: string): Rule | undefined {
    const rule = this.#rules.find((one) => one.id === id);
    if (rule !== undefined) this.#narrow(this.#rules.filter((one) => one !== rule));
    return rule;
  }

  /** Ends all rules of a grant, and returns them. */
  endAllOfGrant(grant: string): readonly Rule[] {
    const ended = this.#rules.filter((rule) => rule.grant === grant);
    if (ended.length > 0) this.#narrow(this.#rules.filter((rule) => rule.grant !== grant));
    return ended;
  }

  #narrow(rules: readonly Rule[]): void {
    this.#rules = rules;
    this.file.narrow(toText(rules));
  }

  #read(path: string, log: Pick<Log, "error">): Rule[] {
    const text = this.file.read();
    if (text === undefined) return [];
    const stored = parseText(Stored, text);
    if (stored.ok) return dropRulesWithoutReasons(stored.value.rules, path, log);
    // No harm: people are asked again.
    log.error(`${path} cannot be read and is treated as empty: ${stored.error}`);
    return [];
  }
}

function toText(rules: readonly Rule[]): string {
  return `${JSON.stringify({ version: 1, rules }, null, 2)}\n`;
}

/** Drops rules of an older version without reasons, which could allow anything. */
function dropRulesWithoutReasons(
  rules: readonly Rule[],
  path: string,
  log: Pick<Log, "error">,
): Rule[] {
  const kept = rules.filter((rule) => rule.kind !== "prefix" || rule.reasons !== undefined);
  const ended = rules.length - kept.length;
  if (ended > 0) {
    log.error(
      `${path}: ${ended} of ${rules.length} rules were made by an older version, which did not save why approval was needed. pairpty ended them and asks again.`,
    );
  }
  return kept;
}

/** Returns the digest of a judgement's reasons, for comparison; undefined if they are unknown. */
export function toReasonDigest(kinds: readonly string[] | undefined): string | undefined {
  if (kinds === undefined) return undefined;
  return createHash("sha256").update(JSON.stringify(kinds)).digest("hex");
}

function buildRule(
  kind: Rule["kind"],
  made: RuleOrigin,
  { agent, rule: allows = "", command }: Approval,
  { grant, key, cwd, isolation, basis, reasons }: Claim,
): Rule | undefined {
  const { label } = agent;
  const text = typeof command === "string" ? command : command.join(" ");
  const rule = { ...made, grant, label, cwd };
  if (basis === undefined) return undefined;
  const { programs, prefix } = basis;
  if (kind === "session") return { ...rule, kind, allows: text, key, programs: [...programs] };
  if (prefix === undefined || reasons === undefined) return undefined;
  return { ...rule, kind, allows, isolation, reasons, ...prefix, reach: [...prefix.reach] };
}

function matches(rule: Rule, claim: Claim): boolean {
  const { grant, key, cwd, isolation, verdict, basis, reasons } = claim;
  if (rule.grant !== grant || basis === undefined) return false;
  if (rule.kind === "session")
    return rule.key === key && areSameFiles(rule.programs, basis.programs);
  const { prefix } = basis;
  return (
    verdict === "unknown" &&
    reasons !== undefined &&
    rule.reasons === reasons &&
    rule.isolation === isolation &&
    isInside(cwd, rule.cwd) &&
    prefix !== undefined &&
    prefix.name === rule.name &&
    prefix.verb === rule.verb &&
    JSON.stringify(prefix.reach) === JSON.stringify(rule.reach ?? []) &&
    areSameFiles([prefix.program], [rule.program])
  );
}

function areSameFiles(a: readonly FileFingerprint[], b: readonly FileFingerprint[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ path, stamp }, index) => path === b[index]?.path && stamp === b[index].stamp)
  );
}

// At isolation `none` an agent has the user's rights and could write more, but a changed program
// file ends the answer anyway (approval-basis.ts).

/** Folders writable by every program on this machine, as real paths. */
const WORLD_WRITABLE_FOLDERS: readonly string[] = [
  ...new Set(["/tmp", "/var/tmp", "/dev/shm", tmpdir()].flatMap(toRealPaths)),
];

const WRITABLE_BY_OTHERS = 0o002;

/** Whether an agent can write `path`. Takes real paths. */
export function canWrite(path: string, roots: readonly string[]): boolean {
  if ([...roots, ...WORLD_WRITABLE_FOLDERS].some((folder) => isInside(path, folder))) return true;
  return [path, dirname(path)].some((place) => (statSync(place).mode & WRITABLE_BY_OTHERS) !== 0);
}

/** Whether `path` is `folder` or below it. Takes absolute paths. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function toRealPaths(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch (error) {
    if (findSystemCode(error) !== undefined) return [];
    throw error;
  }
}
