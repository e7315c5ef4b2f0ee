// Owns the open questions of agents as this page knows them: which there are, which one is in front,
// what was answered here. Decides nothing: the bridge does.

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
import { outcomeOf } from "./outcomes.ts";
import { opened, requested, settled } from "./questions.ts";

export class Approvals implements PageDialect<ApprovalServerMessage> {
  /** Oldest first. */
  readonly all = signal<readonly Approval[]>([]);
  /** What this page answered and the bridge has not settled yet, by id. */
  readonly sent = signal<ReadonlyMap<string, ApprovalWord>>(new Map());
  /** The bridge that is there has told which are open. */
  readonly current = signal(false);
  /** Out of the way until the next one comes, or somebody wants to see them. */
  readonly folded = signal(false);
  /** Somebody wants to have the focus on the card; over once it is there. */
  readonly entering = signal(false);
  /** The one that has been in front for long enough that an answer is meant for it. */
  readonly armed = signal<Approval | undefined>(undefined);
  /** The one whose card stands in a conversation, and whether its place is in sight there. */
  readonly placed = signal<{ readonly id: string; readonly isSeen: boolean } | undefined>(
    undefined,
  );
  /** The one that gets a reason with its denial. */
  readonly explaining = signal<string | undefined>(undefined);
  /** The one that the page's address names, until it has come or is known not to. */
  readonly wanted = signal<string | undefined>(undefined);

  readonly #picked = signal<string | undefined>(undefined);
  readonly #toast: (text: string) => void;

  /** The oldest, unless another was chosen. */
  readonly front = computed(() => {
    const all = this.all.value;
    return all.find(({ id }) => id === this.#picked.value) ?? all[0];
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

  /** Brings one to the front. */
  show(id: string): void {
    batch(() => {
      this.#picked.value = id;
      this.folded.value = false;
    });
  }

  /** The one `by` places on, around the ends. */
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
    const wanted = this.wanted.peek();
    batch(() => {
      this.current.value = true;
      this.all.value = opened(this.all.peek(), ids);
      this.sent.value = new Map();
      if (wanted === undefined || ids.includes(wanted)) return;
      this.wanted.value = undefined;
      this.#toast("That question is no longer open: somebody answered it, or it expired.");
    });
  }

  onRequested({ approval }: ApprovalRequested): void {
    const before = this.all.peek();
    const after = requested(before, approval);
    if (after === before) return;
    const front = this.front.peek();
    batch(() => {
      this.all.value = after;
      // What somebody is reading stays in front.
      if (front) this.#picked.value = front.id;
      this.folded.value = false;
      if (this.wanted.peek() !== approval.id) return;
      this.#picked.value = approval.id;
      this.wanted.value = undefined;
    });
  }

  onSettled(message: ApprovalSettled): void {
    const { id } = message;
    const approval = this.all.peek().find((one) => one.id === id);
    const mine = this.sent.peek().get(id);
    batch(() => {
      this.all.value = settled(this.all.peek(), id);
      this.#unsend(id);
    });
    if (approval) this.#toast(outcomeOf(approval, message, mine));
  }

  onError({ id, code, error }: ApprovalError): void {
    if (id === undefined) return this.#toast(error);
    const isOpen = this.all.peek().some((one) => one.id === id);
    batch(() => {
      this.#unsend(id);
      if (code === "not_found") this.all.value = settled(this.all.peek(), id);
    });
    // Somebody was quicker: who, was told when it was settled.
    if (isOpen || code !== "not_found") this.#toast(error);
    return undefined;
  }

  /** Whether an answer that was on its way arrived is known when the bridge is back. */
  onAway(): void {
    batch(() => {
      this.current.value = false;
      this.sent.value = new Map();
    });
  }

  #unsend(id: string): void {
    const rest = new Map(this.sent.peek());
    if (rest.delete(id)) this.sent.value = rest;
  }
}
