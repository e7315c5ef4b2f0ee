// Owns the files that keep conversations across bridges: one each, in the workspace's state folder,
// readable by the user alone. Unreadable ones are skipped.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Entry } from "../../protocol/conversation.ts";
import { Isolation } from "../../protocol/isolation.ts";
import { parseText } from "../../protocol/json.ts";
import { errorMessage } from "../errors.ts";
import type { Log } from "../log.ts";
import { readOptionalFile, writePrivateFile } from "../workspace/private-file.ts";
import type { StoredConversation } from "./conversation.ts";

const NAME = /^c-[0-9a-f]{12}\.json$/;

/** Written by pairpty itself, so only the common fields are checked. */
const KeptEntry = z.custom<Entry>(
  (value) =>
    z.looseObject({ id: z.string(), at: z.int(), kind: z.string() }).safeParse(value).success,
);

const Stored = z.object({
  version: z.literal(1),
  facts: z.object({
    id: z.string(),
    agent: z.object({
      grant: z.string(),
      label: z.string(),
      name: z.optional(z.string()),
      version: z.optional(z.string()),
    }),
    via: z.enum(["stdio", "socket"]),
    cwd: z.string(),
    isolation: Isolation,
    startedAt: z.int(),
  }),
  session: z.optional(z.string()),
  canLoad: z.boolean(),
  title: z.string(),
  state: z.enum(["starting", "idle", "working", "lost", "ended"]),
  why: z.optional(z.string()),
  entries: z.array(KeptEntry),
  isCut: z.boolean(),
  next: z.int(),
});

export class ConversationStore {
  readonly #folder: string;
  readonly #log: Pick<Log, "warn">;

  constructor(folder: string, log: Pick<Log, "warn">) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Returns all stored conversations, oldest first. */
  load(): StoredConversation[] {
    const conversationData = this.#names().flatMap((name) => this.#read(name) ?? []);
    return conversationData.toSorted((a, b) => a.facts.startedAt - b.facts.startedAt);
  }

  save(conversationData: StoredConversation): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const stored = JSON.stringify({ version: 1, ...conversationData });
      writePrivateFile(join(this.#folder, `${conversationData.facts.id}.json`), stored);
    } catch (error) {
      // For example a full disk: the conversation continues in memory.
      this.#log.warn(`a conversation could not be saved: ${errorMessage(error)}`);
    }
  }

  forget(id: string): void {
    rmSync(join(this.#folder, `${id}.json`), { force: true });
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => NAME.test(name));
    } catch {
      // The folder does not exist yet.
      return [];
    }
  }

  #read(name: string): StoredConversation | undefined {
    const text = readOptionalFile(join(this.#folder, name));
    const parsed = text === undefined ? undefined : parseText(Stored, text);
    if (parsed?.ok !== true) {
      this.#log.warn(`the conversation ${name} cannot be read`);
      return undefined;
    }
    const { version: _version, facts, session, ...conversationData } = parsed.value;
    const { grant, label, name: called, version } = facts.agent;
    const agent = {
      grant,
      label,
      ...(called === undefined ? {} : { name: called }),
      ...(version === undefined ? {} : { version }),
    };
    return { ...conversationData, facts: { ...facts, agent }, session };
  }
}
