// Owns agents' access to screens: reading one as text or image, and typing into their own terminals
// and those where a person allows it. Whether the keys are allowed is decided in typing-gate.ts.

import type { Isolation } from "../../protocol/isolation.ts";
import { isAtLeast, strictest } from "../../protocol/isolation.ts";
import type { TerminalSnapshot } from "../../protocol/panel.ts";
import type { Caller } from "../callers/caller.ts";
import { canSee } from "../callers/permissions.ts";
import type { Panels } from "../panels/panels.ts";
import { toSnapshot } from "../panels/panel-results.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { waitUntil } from "../reading/wait-until.ts";
import { isWithheld } from "../reading/withheld-output.ts";
import type { KeyInput } from "../sessions/named-keys.ts";
import { hasApplicationForm, getKeyBytes, parseKeys } from "../sessions/named-keys.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { NOT_FOUND, orNotFound } from "./not-found.ts";
import type { AgentCall, TypingSubject, TypingGate } from "./typing-gate.ts";
import type { AgentScreens, TerminalReader } from "./agent-visibility.ts";
import { agentInputDenial } from "./agent-visibility.ts";

export interface AgentPanelsDeps {
  readonly pool: Pick<TerminalPool, "get" | "input">;
  /** Output without the parts withheld from agents. */
  readonly output: Pick<TerminalReader, "watch">;
  readonly panels: Pick<Panels, "find" | "readScreen" | "markUsed">;
  /** Screens without the parts withheld from agents. */
  readonly screens: AgentScreens;
  readonly typing: Pick<TypingGate, "requestPermit">;
  /** Finds an agent's session by its id, `term-1`. */
  readonly findSession: (owner: string, id: string) => PoolTerminal | undefined;
  /** Finds the subject under which a terminal's keys are judged together. */
  readonly findSubject: (terminal: PoolTerminal) => TypingSubject | undefined;
  readonly wantsApplicationKeys: (terminal: PoolTerminal) => Promise<boolean>;
  /** Returns the minimum isolation of all agents here. */
  readonly getFloor: () => Isolation;
}

export interface ScreenTarget {
  readonly terminalId?: string | undefined;
  readonly panelId?: string | undefined;
  readonly sessionId?: string | undefined;
}

export interface ScreenRequest extends ScreenTarget {
  /** Reads the screen from an open panel, with this timeout. */
  readonly client?: { readonly timeoutMs: number } | undefined;
  readonly isPicture: boolean;
  /** Waits until no output came for this long. */
  readonly waitMs?: number | undefined;
}

interface ScreenIds {
  readonly terminalId: string;
  readonly panelId?: string;
  readonly sessionId?: string;
}

export interface AgentScreen extends ScreenIds {
  readonly snapshot: TerminalSnapshot;
  readonly png?: Buffer;
}

/** A screen that keeps changing is read anyway after this time. */
const MAX_SETTLE_WAIT_MS = 15_000;

const MAY_NOT_TYPE =
  "You may not type into this terminal. An agent may type into terminals that it started, and into others if a person lets it: ask them to press Alt+A in the page, or to run `pairpty agents-type <id> on`";

const PARTLY_HIDDEN =
  "A person has hidden part of this terminal from agents: read it without source";

export class AgentPanels {
  readonly #deps: AgentPanelsDeps;
  readonly #subjects = new WeakMap<PoolTerminal, TypingSubject>();

  constructor(deps: AgentPanelsDeps) {
    this.#deps = deps;
  }

  async write(
    call: AgentCall,
    target: ScreenTarget,
    text: string,
    signal: AbortSignal,
  ): Promise<Outcome<ScreenIds & { readonly ok: true; readonly bytesWritten: number }>> {
    const found = this.#find(call.caller, target);
    if (!found.ok) return found;
    const { terminal, names } = found.value;
    const why = this.#typingDenial(call.caller, terminal);
    if (why !== undefined) return refusal(why);
    const typed = parseKeys(text);
    const subject = this.#getSubject(terminal);
    const via = "terminal_write";
    const may = await this.#deps.typing.requestPermit({
      call,
      subject,
      via,
      terminal,
      typed,
      signal,
    });
    if (!may.ok) return may;
    // Rights may have changed while a person decided.
    const whyNow = this.#typingDenial(call.caller, terminal);
    if (whyNow !== undefined) return refusal(whyNow);
    const bytes = await this.#encodeKeys(terminal, typed);
    const busy = agentInputDenial(terminal) ?? may.value.use();
    if (busy !== undefined) return refusal(busy);
    this.#deps.pool.input(terminal, bytes);
    this.#deps.panels.markUsed(terminal);
    return { ok: true, value: { ok: true, ...names, bytesWritten: bytes.length } };
  }

  async readScreen(
    caller: Caller,
    { client, isPicture, waitMs, ...target }: ScreenRequest,
    signal: AbortSignal,
  ): Promise<Outcome<AgentScreen>> {
    const found = this.#find(caller, target);
    if (!found.ok) return found;
    const { terminal, names } = found.value;
    if (waitMs !== undefined) await this.#waitUntilQuiet(terminal, waitMs, signal);
    const seen = this.#find(caller, { terminalId: terminal.id });
    if (!seen.ok) return seen;
    if (client !== undefined) {
      // An open panel shows everything that a person sees.
      if (isWithheld(terminal.meta)) return refusal(PARTLY_HIDDEN);
      const read = await this.#deps.panels.readScreen(caller, target, client);
      if (!read.ok) return refusal(`${read.code}: ${read.error}`);
      return { ok: true, value: { ...names, snapshot: read.value.snapshot } };
    }
    return await orNotFound(this.#draw(terminal, names, isPicture));
  }

  async #draw(terminal: PoolTerminal, names: ScreenIds, isPicture: boolean): Promise<AgentScreen> {
    const { screens } = this.#deps;
    const snapshot = toSnapshot(await screens.view(terminal));
    if (!isPicture) return { ...names, snapshot };
    return { ...names, snapshot, png: await screens.picture(terminal) };
  }

  #find(
    caller: Caller,
    { terminalId: id, panelId, sessionId }: ScreenTarget,
  ): Outcome<{ terminal: PoolTerminal; names: ScreenIds }> {
    const { pool, findSession } = this.#deps;
    // Other tools name an agent's own session `sessionId`.
    const isOwn =
      panelId === undefined && findSession(caller.grantId, sessionId ?? "") !== undefined;
    const terminalId = id ?? (isOwn ? sessionId : undefined);
    if (terminalId !== undefined) {
      const terminal = findSession(caller.grantId, terminalId) ?? pool.get(terminalId);
      const grant = caller.grant();
      if (terminal === undefined || grant === undefined || !canSee(grant, terminal.meta)) {
        return refusal(NOT_FOUND);
      }
      return { ok: true, value: { terminal, names: { terminalId: terminal.id } } };
    }
    const found = this.#deps.panels.find(caller, { panelId, sessionId });
    if (!found.ok) return refusal(`${found.code}: ${found.error}`);
    const { place, terminal } = found.value;
    const session = place.scope === "session" ? { sessionId: place.scopeId } : {};
    const names = { terminalId: terminal.id, panelId: place.panelId, ...session };
    return { ok: true, value: { terminal, names } };
  }

  #typingDenial(caller: Caller, terminal: PoolTerminal): string | undefined {
    const { meta, life } = terminal;
    const grant = caller.grant();
    if (grant === undefined) return "This token has expired or was revoked";
    if (life.state === "finished") return "This terminal has ended";
    const isOwn = meta.owner === "agent" && meta.startedBy?.grant === grant.id;
    const isLet = meta.agentsType?.grants.some((one) => one.grant === grant.id) === true;
    if (!isOwn && !isLet) return MAY_NOT_TYPE;
    const least = strictest(grant.isolation, this.#deps.getFloor());
    if (isAtLeast(meta.isolation, least)) return agentInputDenial(terminal);
    return `This terminal has less isolation than your token requires (${least}), so you may not type into it`;
  }

  #getSubject(terminal: PoolTerminal): TypingSubject {
    const known = this.#deps.findSubject(terminal) ?? this.#subjects.get(terminal);
    if (known !== undefined) return known;
    const subject = { id: terminal.id, command: terminal.meta.command?.join(" ") ?? "" };
    this.#subjects.set(terminal, subject);
    return subject;
  }

  async #encodeKeys(terminal: PoolTerminal, typed: readonly KeyInput[]): Promise<Buffer> {
    const isApplication =
      typed.some(hasApplicationForm) && (await this.#deps.wantsApplicationKeys(terminal));
    const texts = typed.map((one) =>
      one.kind === "text" ? one.text : (getKeyBytes(one.name, isApplication) ?? one.bytes),
    );
    return Buffer.from(texts.join(""));
  }

  async #waitUntilQuiet(
    terminal: PoolTerminal,
    idleMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const watched = {
      isOver: () => terminal.life.state === "finished",
      text: async () => "",
      subscribe: (listener: () => void) => this.#deps.output.watch(terminal, listener),
    };
    await waitUntil(watched, { idleMs }, undefined, MAX_SETTLE_WAIT_MS, signal);
  }
}
