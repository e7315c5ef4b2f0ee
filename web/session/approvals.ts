// Owns agents' open questions in this page: the list, which one is in front, and the answers given
// here. The bridge decides. Also owns the texts for how a question ended. And pure changes to the
// list of open questions, as the bridge reports them. Oldest first.

import { batch, computed, signal } from "@preact/signals";
import type {
  Approval,
  ApprovalError,
  ApprovalOpen,
  ApprovalRequested,
  ApprovalServerMessage,
  ApprovalSettled,
  ApprovalWord,
  ApprovalBy,
} from "../../protocol/approval.ts";
import { formatCommandLine } from "../../protocol/formats.ts";
import { displayName } from "../../protocol/names.ts";
import type { PageDialect } from "./dialect.ts";
import { shorten } from "./visible-text.ts";

export class Approvals implements PageDialect<ApprovalServerMessage> {
  /** Oldest first. */
  readonly all = signal<readonly Approval[]>([]);
  /** Answers given on this page that the bridge has not settled yet, by id. */
  readonly sent = signal<ReadonlyMap<string, ApprovalWord>>(new Map());
  /** Whether the bridge has sent its list of open questions on this connection. */
  readonly isListed = signal(false);
  /** Hidden until the next question comes or a person opens the card. */
  readonly folded = signal(false);
  /** Requests focus on the card; reset once it has it. */
  readonly wantsFocus = signal(false);
  /** The question that was in front long enough for an answer to be deliberate. */
  readonly armed = signal<Approval | undefined>(undefined);
  /** The question whose card is inside a conversation, and whether it is in sight there. */
  readonly inlineCard = signal<{ readonly id: string; readonly isSeen: boolean } | undefined>(
    undefined,
  );
  /** The question for which a reason for denial is being entered. */
  readonly denyingId = signal<string | undefined>(undefined);
  /** The question in the page's address, until it arrives or turns out to be closed. */
  readonly linkedId = signal<string | undefined>(undefined);

  readonly #selected = signal<string | undefined>(undefined);
  readonly #toast: (text: string) => void;

  /** The oldest, unless another was selected. */
  readonly front = computed(() => {
    const all = this.all.value;
    return all.find(({ id }) => id === this.#selected.value) ?? all[0];
  });

  constructor(toast: (text: string) => void) {
    this.#toast = toast;
  }

  get handlers(): PageDialect<ApprovalServerMessage>["handlers"] {
    return {
      "approval:open": (message) => this.onOpen(message),
      "approval:requested": (message) => this.onRequested(message),
      "approval:settled": (message) => this.onSettled(message),
      "approval:error": (message) => this.onError(message),
    };
  }

  /** Brings a question to the front. */
  show(id: string): void {
    batch(() => {
      this.#selected.value = id;
      this.folded.value = false;
    });
  }

  /** Shows the question `by` positions further, wrapping around. */
  step(by: number): void {
    const all = this.all.peek();
    const at = all.findIndex((one) => one === this.front.peek());
    const next = all[(at + by + all.length) % all.length];
    if (next) this.show(next.id);
  }

  onSent(id: string, answer: ApprovalWord): void {
    this.sent.value = new Map(this.sent.peek()).set(id, answer);
  }

  onOpen({ ids }: ApprovalOpen): void {
    const wanted = this.linkedId.peek();
    batch(() => {
      this.isListed.value = true;
      this.all.value = keepOpen(this.all.peek(), ids);
      this.sent.value = new Map();
      if (wanted === undefined || ids.includes(wanted)) return;
      this.linkedId.value = undefined;
      this.#toast("That question is no longer open: it was answered or it expired.");
    });
  }

  onRequested({ approval }: ApprovalRequested): void {
    const before = this.all.peek();
    const after = addQuestion(before, approval);
    if (after === before) return;
    const front = this.front.peek();
    batch(() => {
      this.all.value = after;
      // The question that a person is reading stays in front.
      if (front) this.#selected.value = front.id;
      this.folded.value = false;
      if (this.linkedId.peek() !== approval.id) return;
      this.#selected.value = approval.id;
      this.linkedId.value = undefined;
    });
  }

  onSettled(message: ApprovalSettled): void {
    const { id } = message;
    const approval = this.all.peek().find((one) => one.id === id);
    const mine = this.sent.peek().get(id);
    batch(() => {
      this.all.value = removeQuestion(this.all.peek(), id);
      this.#unsend(id);
    });
    if (approval) this.#toast(formatOutcome(approval, message, mine));
  }

  onError({ id, code, error }: ApprovalError): void {
    if (id === undefined) return this.#toast(error);
    const isOpen = this.all.peek().some((one) => one.id === id);
    batch(() => {
      this.#unsend(id);
      if (code === "not_found") this.all.value = removeQuestion(this.all.peek(), id);
    });
    // Answered by another person first: `onSettled` has already shown who it was.
    if (isOpen || code !== "not_found") this.#toast(error);
    return undefined;
  }

  /** Forgets sent answers: whether they arrived is known only when the bridge is back. */
  onAway(): void {
    batch(() => {
      this.isListed.value = false;
      this.sent.value = new Map();
    });
  }

  #unsend(id: string): void {
    const rest = new Map(this.sent.peek());
    if (rest.delete(id)) this.sent.value = rest;
  }
}

/** Fits a toast's one or two lines. */
const MAX_CHARS = 80;

/** Formats an outcome. `mine` is this page's own answer: then the text names no one. */
function formatOutcome(
  approval: Approval,
  { outcome, by, answer, reason }: ApprovalSettled,
  mine: ApprovalWord | undefined,
): string {
  const line = shorten(formatCommandLine(approval), MAX_CHARS);
  const who = mine !== undefined && mine === answer ? undefined : formatAnswerer(by);
  switch (outcome) {
    case "allowed":
      return toMessage(who, `allowed${formatScope(answer)}: ${line}`);
    case "denied": {
      const quote = reason ? ` (“${shorten(reason, MAX_CHARS)}”)` : "";
      return toMessage(who, `denied: ${line}${quote}`);
    }
    case "expired":
      return `No one answered in time: ${line}`;
    case "withdrawn":
      return `Withdrawn: ${line}`;
    default:
      return outcome satisfies never;
  }
}

function formatAnswerer(by: ApprovalBy | undefined): string {
  if (by === undefined) return "Someone";
  // The host answered in pairpty's own window, or with `pairpty approve`.
  if (by.door === "tty" || by.door === "control") return "The host";
  return displayName({
    name: by.name,
    label: by.label || (by.door === "people" ? "Someone" : "The host"),
  });
}

function formatScope(answer: ApprovalWord | undefined): string {
  if (answer === "session") return " for the agent’s session";
  return answer === "prefix" ? ", along with similar commands" : "";
}

function toMessage(who: string | undefined, rest: string): string {
  return who === undefined ? rest.charAt(0).toUpperCase() + rest.slice(1) : `${who} ${rest}`;
}

export type Questions = readonly Approval[];

/** Applies the ids of open questions, sent on joining and when the bridge is back. */
function keepOpen(all: Questions, ids: readonly string[]): Questions {
  return all.filter(({ id }) => ids.includes(id));
}

/** Adds or updates a question; returns the same list if nothing changed, to avoid a redraw. */
function addQuestion(all: Questions, approval: Approval): Questions {
  const known = all.find(({ id }) => id === approval.id);
  if (known && JSON.stringify(known) === JSON.stringify(approval)) return all;
  const others = removeQuestion(all, approval.id);
  return [...others, approval].toSorted((one, other) => one.askedAt - other.askedAt);
}

function removeQuestion(all: Questions, id: string): Questions {
  return all.filter((one) => one.id !== id);
}
