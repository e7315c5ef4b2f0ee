// Owns agents' access to screens: reading one as text or image, and typing into their own terminals
// and those where a person allows it. Whether the keys are allowed is decided in typing.ts.

import type { Isolation } from "../../protocol/isolation.ts";
import { isAtLeast, thickest } from "../../protocol/isolation.ts";
import type { TerminalSnapshot } from "../../protocol/panel.ts";
import type { Caller } from "../callers/caller.ts";
import { maySee } from "../callers/sight.ts";
import type { Panels } from "../panels/service.ts";
import { toSnapshot } from "../panels/service.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { waitUntil } from "../reading/waiting.ts";
import { isWithheld } from "../reading/withheld.ts";
import type { Typed } from "../sessions/keys.ts";
import { hasOtherForm, keyBytes, parseKeys } from "../sessions/keys.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { NOT_FOUND, orNotFound } from "./service.ts";
import type { AgentCall, Subject, Typing } from "./typing.ts";
import type { AgentScreens, Readable } from "./withholding.ts";
import { whyNoAgentInput } from "./withholding.ts";

export interface AgentPanelParts {
  readonly pool: Pick<TerminalPool, "get" | "input">;
  /** Output without the parts withheld from agents. */
  readonly output: Pick<Readable, "watch">;
  readonly panels: Pick<Panels, "find" | "readScreen" | "wrote">;
  /** Screens without the parts withheld from agents. */
  readonly screens: AgentScreens;
  readonly typing: Pick<Typing, "mayType">;
  /** Finds an agent's session by its id, `term-1`. */
  readonly sessionOf: (owner: string, id: string) => PoolTerminal | undefined;
  /** Finds the subject under which a terminal's keys are judged together. */
  readonly subjectOf: (terminal: PoolTerminal) => Subject | undefined;
  readonly wantsApplicationKeys: (terminal: PoolTerminal) => Promise<boolean>;
  /** Returns the minimum isolation of all agents here. */
  readonly floor: () => Isolation;
}

export interface ScreenTarget {
  readonly terminalId?: string | undefined;
  readonly panelId?: string | undefined;
  readonly sessionId?: string | undefined;
}

export interface ScreenWish extends ScreenTarget {
  /** Reads the screen from an open panel, with this timeout. */
  readonly client?: { readonly timeoutMs: number } | undefined;
  readonly isPicture: boolean;
  /** Waits until no output came for this long. */
  readonly waitMs?: number | undefined;
}

interface Names {
  readonly terminalId: string;
  readonly panelId?: string;
  readonly sessionId?: string;
}

export interface AgentScreen extends Names {
  readonly snapshot: TerminalSnapshot;
  readonly png?: Buffer;
}

/** A screen that keeps changing is read anyway after this time. */
const MOST_RESTLESS_MS = 15_000;

const NOT_YOURS =
  "You may not type into this terminal. An agent may type into terminals that it started, and into others if a person lets it: ask them to press Alt+A in the page, or to run `pairpty agents-type <id> on`";

const NOT_WHOLE = "A person has hidden part of this terminal from agents: read it without source";

export class AgentPanels {
  readonly #parts: AgentPanelParts;
  readonly #subjects = new WeakMap<PoolTerminal, Subject>();

  constructor(parts: AgentPanelParts) {
    this.#parts = parts;
  }

  async write(
    call: AgentCall,
    target: ScreenTarget,
    text: string,
    signal: AbortSignal,
  ): Promise<Outcome<Names & { readonly ok: true; readonly bytesWritten: number }>> {
    const found = this.#find(call.caller, target);
    if (!found.ok) return found;
    const { terminal, names } = found.value;
    const why = this.#whyNotType(call.caller, terminal);
    if (why !== undefined) return refusal(why);
    const typed = parseKeys(text);
    const subject = this.#subjectOf(terminal);
    const via = "terminal_write";
    const may = await this.#parts.typing.mayType({ call, subject, via, terminal, typed, signal });
    if (!may.ok) return may;
    // Rights may have changed while a person decided.
    const whyNow = this.#whyNotType(call.caller, terminal);
    if (whyNow !== undefined) return refusal(whyNow);
    const bytes = await this.#bytesOf(terminal, typed);
    const busy = whyNoAgentInput(terminal) ?? may.value.use();
    if (busy !== undefined) return refusal(busy);
    this.#parts.pool.input(terminal, bytes);
    this.#parts.panels.wrote(terminal);
    return { ok: true, value: { ok: true, ...names, bytesWritten: bytes.length } };
  }

  async screen(
    caller: Caller,
    { client, isPicture, waitMs, ...target }: ScreenWish,
    signal: AbortSignal,
  ): Promise<Outcome<AgentScreen>> {
    const found = this.#find(caller, target);
    if (!found.ok) return found;
    const { terminal, names } = found.value;
    if (waitMs !== undefined) await this.#quiet(terminal, waitMs, signal);
    const seen = this.#find(caller, { terminalId: terminal.id });
    if (!seen.ok) return seen;
    if (client !== undefined) {
      // An open panel shows everything that a person sees.
      if (isWithheld(terminal.meta)) return refusal(NOT_WHOLE);
      const read = await this.#parts.panels.readScreen(caller, target, client);
      if (!read.ok) return refusal(`${read.code}: ${read.error}`);
      return { ok: true, value: { ...names, snapshot: read.value.snapshot } };
    }
    return await orNotFound(this.#shown(terminal, names, isPicture));
  }

  async #shown(terminal: PoolTerminal, names: Names, isPicture: boolean): Promise<AgentScreen> {
    const { screens } = this.#parts;
    const snapshot = toSnapshot(await screens.view(terminal));
    if (!isPicture) return { ...names, snapshot };
    return { ...names, snapshot, png: await screens.picture(terminal) };
  }

  #find(
    caller: Caller,
    { terminalId: id, panelId, sessionId }: ScreenTarget,
  ): Outcome<{ terminal: PoolTerminal; names: Names }> {
    const { pool, sessionOf } = this.#parts;
    // Other tools name an agent's own session `sessionId`.
    const isOwn = panelId === undefined && sessionOf(caller.grantId, sessionId ?? "") !== undefined;
    const terminalId = id ?? (isOwn ? sessionId : undefined);
    if (terminalId !== undefined) {
      const terminal = sessionOf(caller.grantId, terminalId) ?? pool.get(terminalId);
      const grant = caller.grant();
      if (terminal === undefined || grant === undefined || !maySee(grant, terminal.meta)) {
        return refusal(NOT_FOUND);
      }
      return { ok: true, value: { terminal, names: { terminalId: terminal.id } } };
    }
    const found = this.#parts.panels.find(caller, { panelId, sessionId });
    if (!found.ok) return refusal(`${found.code}: ${found.error}`);
    const { place, terminal } = found.value;
    const session = place.scope === "session" ? { sessionId: place.scopeId } : {};
    const names = { terminalId: terminal.id, panelId: place.panelId, ...session };
    return { ok: true, value: { terminal, names } };
  }

  #whyNotType(caller: Caller, terminal: PoolTerminal): string | undefined {
    const { meta, life } = terminal;
    const grant = caller.grant();
    if (grant === undefined) return "This token has expired or was revoked";
    if (life.state === "finished") return "This terminal has ended";
    const isOwn = meta.owner === "agent" && meta.startedBy?.grant === grant.id;
    const isLet = meta.agentsType?.grants.some((one) => one.grant === grant.id) === true;
    if (!isOwn && !isLet) return NOT_YOURS;
    const least = thickest(grant.isolation, this.#parts.floor());
    if (isAtLeast(meta.isolation, least)) return whyNoAgentInput(terminal);
    return `This terminal has less isolation than your token requires (${least}), so you may not type into it`;
  }

  #subjectOf(terminal: PoolTerminal): Subject {
    const known = this.#parts.subjectOf(terminal) ?? this.#subjects.get(terminal);
    if (known !== undefined) return known;
    const subject = { id: terminal.id, command: terminal.meta.command?.join(" ") ?? "" };
    this.#subjects.set(terminal, subject);
    return subject;
  }

  async #bytesOf(terminal: PoolTerminal, typed: readonly Typed[]): Promise<Buffer> {
    const isApplication =
      typed.some(hasOtherForm) && (await this.#parts.wantsApplicationKeys(terminal));
    const texts = typed.map((one) =>
      one.kind === "text" ? one.text : (keyBytes(one.name, isApplication) ?? one.bytes),
    );
    return Buffer.from(texts.join(""));
  }

  async #quiet(terminal: PoolTerminal, idleMs: number, signal: AbortSignal): Promise<void> {
    const watched = {
      isOver: () => terminal.life.state === "finished",
      text: async () => "",
      subscribe: (listener: () => void) => this.#parts.output.watch(terminal, listener),
    };
    await waitUntil(watched, { idleMs }, undefined, MOST_RESTLESS_MS, signal);
  }
}
