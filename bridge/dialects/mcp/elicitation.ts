// Owns showing a question through the agent's own client (MCP's elicitation), on both wires: as a
// link to the page, or as a form. A form's answer comes from the client and does not prove that a
// person gave it, so it counts only for grants that trust their client. Sends nothing that the
// client did not declare.

import { randomBytes, randomUUID } from "node:crypto";
import type {
  InputRequest,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from "@modelcontextprotocol/server";
import {
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  SdkError,
} from "@modelcontextprotocol/server";
import type { Approval, ApprovalWord } from "../../../protocol/approval.ts";
import type { Caller } from "../../callers/caller.ts";
import { logFault } from "../../faults.ts";
import type { Log } from "../../log.ts";
import type { AgentSide } from "../../pipeline/pipeline.ts";
import { reportWaiting } from "./progress.ts";
import { answerIn, formFor, isReadable, messageFor } from "./question-form.ts";

/** Validity of a sealed state: longer than a person takes to answer. */
const STATE_SECONDS = 300;
const KEY = "approval";
const FIRST_OF_2026 = "2026";

/** Sealed state of a repeated call: which question, about which plan, of which grant. */
interface State {
  readonly id: string;
  readonly key: string;
  readonly grant: string;
  readonly nonce: string;
}

export interface ElicitorParts {
  /** Returns the page's address that shows this approval; undefined without a page. */
  readonly linkTo: ((id: string) => string) | undefined;
  readonly log: Pick<Log, "error">;
}

/** State shared by all calls: the seal, and which nonces were used. */
export class Elicitor {
  readonly #parts: ElicitorParts;
  /** Seals states; valid in this process only. */
  readonly #codec = createRequestStateCodec<State>({
    key: randomBytes(32),
    ttlSeconds: STATE_SECONDS,
  });
  /** Used nonces, with the time until which their states are valid. */
  readonly #used = new Map<string, number>();

  constructor(parts: ElicitorParts) {
    this.#parts = parts;
  }

  /** Creates the client's side of one call. */
  async sideOf(server: McpServer, caller: Caller, context: ServerContext): Promise<ClientSide> {
    const given = context.mcpReq.requestState();
    const state = typeof given === "string" ? await this.#open(given, context) : undefined;
    const isOwn = state?.grant === caller.grantId && !this.#used.has(state.nonce);
    const parts = { ...this.#parts, seal: this.#seal, use: this.#use };
    return new ClientSide(parts, server, caller, context, isOwn ? state : undefined);
  }

  readonly #seal = async (approval: Approval, key: string): Promise<string> =>
    await this.#codec.mint({
      id: approval.id,
      key,
      grant: approval.agent.grant,
      nonce: randomUUID(),
    });

  readonly #use = ({ nonce }: State): void => {
    const now = Date.now();
    for (const [old, until] of this.#used) if (until < now) this.#used.delete(old);
    this.#used.set(nonce, now + STATE_SECONDS * 1_000);
  };

  /** Opens a sealed state; undefined if it is foreign or too old, so the question is repeated. */
  async #open(sealed: string, context: ServerContext): Promise<State | undefined> {
    try {
      return await this.#codec.verify(sealed, context);
    } catch (error) {
      if (error instanceof Error) return undefined;
      throw error;
    }
  }
}

interface SideParts extends ElicitorParts {
  seal(approval: Approval, key: string): Promise<string>;
  use(state: State): void;
}

type Mode = "form" | "url";

export class ClientSide implements AgentSide {
  readonly #parts: SideParts;
  readonly #context: ServerContext;
  readonly #mode: Mode | undefined;
  /**
   * Whether the client repeats calls (2026 wire): a call then returns its required inputs. On older
   * wires the server sends requests during the call.
   */
  readonly #comesAgain: boolean;
  #state: State | undefined;
  #wasShown = false;
  #toShow: { readonly approval: Approval; readonly key: string } | undefined;

  constructor(
    parts: SideParts,
    { server }: McpServer,
    caller: Caller,
    context: ServerContext,
    state: State | undefined,
  ) {
    this.#parts = parts;
    this.#context = context;
    this.#state = state;
    this.#comesAgain = (server.getNegotiatedProtocolVersion() ?? "") >= FIRST_OF_2026;
    const can = server.getClientCapabilities()?.elicitation;
    // Older clients could declare only forms.
    const hasForms = can !== undefined && (can.form !== undefined || can.url === undefined);
    if (hasForms && caller.grant()?.trustClient === true) this.#mode = "form";
    else if (can?.url !== undefined && parts.linkTo !== undefined) this.#mode = "url";
  }

  get canShow(): boolean {
    return this.#mode !== undefined;
  }

  /** Returns the answer in a repeated call; one about another plan (`key`) does not count. */
  given(key: string): { readonly id: string; readonly answer: ApprovalWord } | undefined {
    const state = this.#state;
    if (state?.key !== key || this.#mode === undefined) return undefined;
    this.#state = undefined;
    this.#parts.use(state);
    this.#wasShown = true;
    if (this.#mode !== "form") return undefined;
    const view = inputResponse(this.#context.mcpReq.inputResponses, KEY);
    const answer = view.kind === "elicit" ? answerIn(view) : undefined;
    return answer === undefined ? undefined : { id: state.id, answer };
  }

  show(
    approval: Approval,
    key: string,
    answer: (word: ApprovalWord) => void,
  ): { readonly comesAgain: boolean; end(): void } {
    const shown = this.#elicit(approval, key, answer);
    if (shown.comesAgain) return shown;
    const { mcpReq } = this.#context;
    const stopReporting = reportWaiting({ ...this.#parts, mcpReq }, approval);
    const end = () => {
      stopReporting();
      shown.end();
    };
    return { comesAgain: false, end };
  }

  /** Sends the question if the client declared support. */
  #elicit(
    approval: Approval,
    key: string,
    answer: (word: ApprovalWord) => void,
  ): { readonly comesAgain: boolean; end(): void } {
    const isNothing = this.#mode === undefined || this.#wasShown;
    // A form that cannot show the whole command would be answered unread.
    if (isNothing || (this.#mode === "form" && !isReadable(approval))) return SHOWN;
    this.#wasShown = true;
    if (this.#comesAgain) {
      this.#toShow = { approval, key };
      return { comesAgain: true, end: () => {} };
    }
    const over = new AbortController();
    void this.#send(approval, answer, over.signal);
    return { comesAgain: false, end: () => over.abort() };
  }

  /** Returns the result that makes the client repeat the call; undefined for the normal one. */
  async required(): Promise<InputRequiredResult | undefined> {
    if (this.#toShow === undefined) return undefined;
    const { approval, key } = this.#toShow;
    return inputRequired({
      inputRequests: { [KEY]: this.#request(approval) },
      requestState: await this.#parts.seal(approval, key),
    });
  }

  #request(approval: Approval): InputRequest {
    const message = messageFor(approval);
    const url = this.#parts.linkTo?.(approval.id) ?? "";
    return this.#mode === "url"
      ? inputRequired.elicitUrl({ message, url })
      : inputRequired.elicit({ message, requestedSchema: formFor(approval) });
  }

  /** Sends the question while the call is held (2025 wires). */
  async #send(
    approval: Approval,
    answer: (word: ApprovalWord) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { method, params = {} } = this.#request(approval);
    const id = this.#mode === "url" ? { mode: "url", elicitationId: approval.id } : {};
    try {
      if (method !== "elicitation/create") return;
      const result = await this.#context.mcpReq.send(
        { method, params: { ...params, ...id } },
        { signal },
      );
      const given = this.#mode === "form" ? answerIn(result) : undefined;
      if (given !== undefined && !signal.aborted) answer(given);
    } catch (error) {
      // Cancelled, or the client failed: other surfaces show the question, too.
      const isTheirs = error instanceof SdkError || error instanceof ProtocolError;
      if (!isTheirs && !signal.aborted) logFault(this.#parts.log, "an elicitation", error);
    }
  }
}

const SHOWN = { comesAgain: false, end: () => {} } as const;
