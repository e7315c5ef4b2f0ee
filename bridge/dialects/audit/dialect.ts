// Owns the audit log on people's sockets: pages of it for edit links, and new lines while they have
// it open. It sends the same lines as `pairpty audit` prints.

import type { AuditServerMessage } from "../../../protocol/audit.ts";
import { AuditRequest } from "../../../protocol/audit.ts";
import type { ErrorCode } from "../../../protocol/codes.ts";
import { parseJson } from "../../../protocol/json.ts";
import type { AuditPage, PageRequest } from "../../audit/audit-log.ts";
import type { Caller, Sender } from "../../callers/caller.ts";
import type { Audience, Dialect } from "../../callers/dialect-interface.ts";
import type { Message } from "../../callers/message-parsing.ts";
import { parseMessage } from "../../callers/message-parsing.ts";

/** Characters of a page; leaves room in a frame. */
const PAGE_CHARS = 48 << 10;
/** New lines are batched; beyond this many, only their number is sent. */
const BATCH_MS = 150;
const MAX_BATCH_LINES = 30;

const NOT_HERE = "To see what agents did, use the page with an Edit link, or `pairpty audit`";

export interface AuditPages {
  readPage(options: PageRequest): AuditPage;
  /** Fires for each line written to the log. */
  onLine(listener: (line: string) => void): () => void;
}

export class AuditDialect implements Dialect {
  readonly prefix = "audit:";
  readonly lateSafeTypes = ["audit:open", "audit:close"];
  /** Only through the relay, with edit rights. */
  readonly doors = ["people"] as const;
  readonly requires = "change";
  readonly unavailableMessage = NOT_HERE;
  readonly #log: AuditPages;
  readonly #open = new Set<Caller>();
  #audience: Audience | undefined;
  #batch: string[] = [];
  #skipped = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: AuditPages) {
    this.#log = log;
  }

  onRegister(audience: Audience): () => void {
    this.#audience = audience;
    const end = this.#log.onLine((line) => this.#enqueue(line));
    return () => {
      clearTimeout(this.#timer);
      end();
    };
  }

  /** Sends an error to a caller that lost edit rights while the log was open. */
  onLeave(caller: Caller, why: "gone" | "barred"): void {
    const hadOpen = this.#open.delete(caller);
    if (hadOpen && why === "barred") caller.send(this.error("forbidden", NOT_HERE));
  }

  onMessage({ caller }: Sender, message: Message): void {
    const parsed = parseMessage(AuditRequest, message);
    if (!parsed.ok) return caller.send(this.error("bad_request", parsed.error));
    const request = parsed.value;
    if (request.type === "audit:close") {
      this.#open.delete(caller);
      return undefined;
    }
    const { before, limit } = request;
    // Batched lines are in the page, so send them first.
    if (before === undefined) this.#flush();
    const page = this.#log.readPage({ before, limit, maxChars: PAGE_CHARS });
    if (before === undefined) this.#open.add(caller);
    const entries = page.lines.filter(isEntry).join(",");
    const more = `"before":${JSON.stringify(page.before ?? null)},"isOlder":${before !== undefined}`;
    return caller.send(`{"type":"audit:entries",${more},"entries":[${entries}]}`);
  }

  error(code: ErrorCode, error: string): string {
    return encode({ type: "audit:error", code, error });
  }

  #enqueue(line: string): void {
    if (this.#open.size === 0) return;
    if (this.#batch.length < MAX_BATCH_LINES) this.#batch.push(line);
    else this.#skipped += 1;
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [lines, count] = [this.#batch, this.#skipped];
    this.#batch = [];
    this.#skipped = 0;
    const isFor = (caller: Caller): boolean => this.#open.has(caller);
    for (const line of lines) {
      if (isEntry(line)) this.#audience?.send(`{"type":"audit:entry","entry":${line}}`, isFor);
    }
    if (count > 0) this.#audience?.send(encode({ type: "audit:skipped", count }), isFor);
  }
}

/** Whether the line is an entry; a truncated or foreign line would break the message around it. */
function isEntry(line: string): boolean {
  const parsed = parseJson(line);
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null) return false;
  return "at" in parsed.value && "event" in parsed.value;
}

function encode(message: AuditServerMessage): string {
  return JSON.stringify(message);
}
