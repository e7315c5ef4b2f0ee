// Owns showing a question through the agent's own client (MCP's elicitation), on both wires: as a
// link to the page, or as a form. A form's answer comes from the client and does not prove that a
// person gave it, so it counts only for grants that trust their client. Sends only request kinds
// that the client declared.

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
import type { ClientElicitation } from "../../pipeline/pipeline.ts";
import {
  reportWaiting,
  parseAnswer,
  toAnswerForm,
  fitsDialog,
  formatQuestion,
} from "./question-form.ts";

/** Validity of a sealed state: longer than a person takes to answer. */
const STATE_TTL_SECONDS = 300;
const INPUT_KEY = "approval";
const FIRST_2026_VERSION = "2026";

/** Sealed state of a repeated call: which question, about which plan, of which grant. */
interface SealedState {
  readonly id: string;
  readonly key: string;
  readonly grant: string;
  readonly nonce: string;
}

export interface ElicitorDeps {
  /** Returns the page's address that shows this approval; undefined without a page. */
  readonly linkTo: ((id: string) => string) | undefined;
  readonly log: Pick<Log, "error">;
}

/** State shared by all calls: the seal, and which nonces were used. */
export class Elicitor {
  readonly #deps: ElicitorDeps;
  /** Seals states; valid in this process only. */
  readonly #codec = createRequestStateCodec<SealedState>({
    key: randomBytes(32),
    ttlSeconds: STATE_TTL_SECONDS,
  });
  /** Used nonces, with the time until which their states are valid. */
  readonly #usedNonces = new Map<string, number>();

  constructor(deps: ElicitorDeps) {
    this.#deps = deps;
  }

  /** Creates the client's side of one call. */
  async createElicitation(
    server: McpServer,
    caller: Caller,
    context: ServerContext,
  ): Promise<McpElicitation> {
    const given = context.mcpReq.requestState();
    const state = typeof given === "string" ? await this.#open(given, context) : undefined;
    const isOwn = state?.grant === caller.grantId && !this.#usedNonces.has(state.nonce);
    const deps = { ...this.#deps, seal: this.#seal, markUsed: this.#markUsed };
    return new McpElicitation(deps, server, caller, context, isOwn ? state : undefined);
  }

  readonly #seal = async (approval: Approval, key: string): Promise<string> =>
    await this.#codec.mint({
      id: approval.id,
      key,
      grant: approval.agent.grant,
      nonce: randomUUID(),
    });

  readonly #markUsed = ({ nonce }: SealedState): void => {
    const now = Date.now();
    for (const [old, until] of this.#usedNonces) if (until < now) this.#usedNonces.delete(old);
    this.#usedNonces.set(nonce, now + STATE_TTL_SECONDS * 1_000);
  };

  /** Opens a sealed state; undefined if it is foreign or too old, so the question is repeated. */
  async #open(sealed: string, context: ServerContext): Promise<SealedState | undefined> {
    try {
      return await this.#codec.verify(sealed, context);
    } catch (error) {
      if (error instanceof Error) return undefined;
      throw error;
    }
  }
}

interface McpElicitationDeps extends ElicitorDeps {
  seal(approval: Approval, key: string): Promise<string>;
  markUsed(state: SealedState): void;
}

type Mode = "form" | "url";

export class McpElicitation implements ClientElicitation {
  readonly #deps: McpElicitationDeps;
  readonly #context: ServerContext;
  readonly #mode: Mode | undefined;
  /**
   * Whether the client repeats calls (2026 wire): a call then returns its required inputs. On older
   * wires the server sends requests during the call.
   */
  readonly #isRetryWire: boolean;
  #state: SealedState | undefined;
  #wasShown = false;
  #pendingQuestion: { readonly approval: Approval; readonly key: string } | undefined;

  constructor(
    deps: McpElicitationDeps,
    { server }: McpServer,
    caller: Caller,
    context: ServerContext,
    state: SealedState | undefined,
  ) {
    this.#deps = deps;
    this.#context = context;
    this.#state = state;
    this.#isRetryWire = (server.getNegotiatedProtocolVersion() ?? "") >= FIRST_2026_VERSION;
    const can = server.getClientCapabilities()?.elicitation;
    // Older clients could declare only forms.
    const hasForms = can !== undefined && (can.form !== undefined || can.url === undefined);
    if (hasForms && caller.grant()?.trustClient === true) this.#mode = "form";
    else if (can?.url !== undefined && deps.linkTo !== undefined) this.#mode = "url";
  }

  get canShow(): boolean {
    return this.#mode !== undefined;
  }

  /** Returns the answer in a repeated call; one about another plan (`key`) does not count. */
  takeAnswer(key: string): { readonly id: string; readonly answer: ApprovalWord } | undefined {
    const state = this.#state;
    if (state?.key !== key || this.#mode === undefined) return undefined;
    this.#state = undefined;
    this.#deps.markUsed(state);
    this.#wasShown = true;
    if (this.#mode !== "form") return undefined;
    const view = inputResponse(this.#context.mcpReq.inputResponses, INPUT_KEY);
    const answer = view.kind === "elicit" ? parseAnswer(view) : undefined;
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
    const stopReporting = reportWaiting({ ...this.#deps, mcpReq }, approval);
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
    if (isNothing || (this.#mode === "form" && !fitsDialog(approval))) return NOT_SHOWN;
    this.#wasShown = true;
    if (this.#isRetryWire) {
      this.#pendingQuestion = { approval, key };
      return { comesAgain: true, end: () => {} };
    }
    const over = new AbortController();
    void this.#send(approval, answer, over.signal);
    return { comesAgain: false, end: () => over.abort() };
  }

  /** Returns the result that makes the client repeat the call; undefined for the normal one. */
  async toRetryResult(): Promise<InputRequiredResult | undefined> {
    if (this.#pendingQuestion === undefined) return undefined;
    const { approval, key } = this.#pendingQuestion;
    return inputRequired({
      inputRequests: { [INPUT_KEY]: this.#request(approval) },
      requestState: await this.#deps.seal(approval, key),
    });
  }

  #request(approval: Approval): InputRequest {
    const message = formatQuestion(approval);
    const url = this.#deps.linkTo?.(approval.id) ?? "";
    return this.#mode === "url"
      ? inputRequired.elicitUrl({ message, url })
      : inputRequired.elicit({ message, requestedSchema: toAnswerForm(approval) });
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
      const given = this.#mode === "form" ? parseAnswer(result) : undefined;
      if (given !== undefined && !signal.aborted) answer(given);
    } catch (error) {
      // Cancelled, or the client failed: other surfaces show the question, too.
      const isTheirs = error instanceof SdkError || error instanceof ProtocolError;
      if (!isTheirs && !signal.aborted) logFault(this.#deps.log, "an elicitation", error);
    }
  }
}

const NOT_SHOWN = { comesAgain: false, end: () => {} } as const;
