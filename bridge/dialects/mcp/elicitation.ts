// Owns showing a question by the agent's own side (MCP's elicitation), on both wires: as a link to
// the page, or as a form. Whoever answers a form is the agent's side and no proof of a person: it
// counts only for grants that say so. Nothing is sent to a client that did not declare it.

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

/** How long a call may come again with what it was given: longer than a person thinks. */
const STATE_SECONDS = 300;
const KEY = "approval";
const FIRST_OF_2026 = "2026";

/** What a call that comes again brings along, sealed: which question, about which plan, whose. */
interface State {
  readonly id: string;
  readonly key: string;
  readonly grant: string;
  readonly nonce: string;
}

export interface ElicitorParts {
  /** The page with this approval in front; undefined where there is none to open. */
  readonly linkTo: ((id: string) => string) | undefined;
  readonly log: Pick<Log, "error">;
}

/** What its calls have in common: the seal, and which were used. */
export class Elicitor {
  readonly #parts: ElicitorParts;
  /** Made by this process for this process. */
  readonly #codec = createRequestStateCodec<State>({
    key: randomBytes(32),
    ttlSeconds: STATE_SECONDS,
  });
  /** Nonces, until they would have run out anyway. */
  readonly #used = new Map<string, number>();

  constructor(parts: ElicitorParts) {
    this.#parts = parts;
  }

  /** Of one call. */
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

  /** What is not ours, or too old, is as good as nothing: the question is asked anew. */
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
  /** On the 2026 wire a call ends with what it requires; before, the server asks meanwhile. */
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
    // Before there were modes, all that could be declared was forms.
    const hasForms = can !== undefined && (can.form !== undefined || can.url === undefined);
    if (hasForms && caller.grant()?.trustClient === true) this.#mode = "form";
    else if (can?.url !== undefined && parts.linkTo !== undefined) this.#mode = "url";
  }

  get canShow(): boolean {
    return this.#mode !== undefined;
  }

  /** `key` is of the call as it is now: what was answered about another plan says nothing. */
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

  /** Sends the question where the client declared that it can show one. */
  #elicit(
    approval: Approval,
    key: string,
    answer: (word: ApprovalWord) => void,
  ): { readonly comesAgain: boolean; end(): void } {
    const isNothing = this.#mode === undefined || this.#wasShown;
    // A form that does not hold all of it would be signed unread.
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

  /** How the call ends if it is to come again; undefined: as it would. */
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

  /** On the 2025 wires: while the call is held, and no longer. */
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
      // Cancelled, or a client that cannot after all: others are asked, too.
      const isTheirs = error instanceof SdkError || error instanceof ProtocolError;
      if (!isTheirs && !signal.aborted) logFault(this.#parts.log, "an elicitation", error);
    }
  }
}

const SHOWN = { comesAgain: false, end: () => {} } as const;
