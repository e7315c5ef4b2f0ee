// Owns agents' open questions in this page: the list, which one is in front, and the answers given
// here. The bridge decides.

import { batch, computed, signal } from "@preact/signals";
import type {
  Approval,
  ApprovalError,
  ApprovalOpen,
  ApprovalRequested,
  ApprovalServerMessage,
  ApprovalSettled,
  ApprovalWord,
} from "../../protocol/approval.ts";
import type { PageDialect } from "./dialect.ts";
import { formatOutcome } from "./approval-outcomes.ts";
import { keepOpen, addQuestion, removeQuestion } from "./questions.ts";

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
