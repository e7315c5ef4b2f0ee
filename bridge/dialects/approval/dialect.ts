// Owns approvals on people's sockets: sends open approvals to those who may answer, and passes
// their answers to the desk. Does not decide what an answer means.

import type { ApprovalBy, ApprovalServerMessage } from "../../../protocol/approval.ts";
import { ApprovalAnswer } from "../../../protocol/approval.ts";
import type { ErrorCode } from "../../../protocol/codes.ts";
import type { ApprovalDesk } from "../../approvals/desk.ts";
import type { Caller } from "../../callers/caller.ts";
import { nameOf } from "../../callers/caller.ts";
import type { Audience, Dialect } from "../../callers/hub.ts";
import type { Message } from "../../callers/reading.ts";
import { idOf, readMessage } from "../../callers/reading.ts";

const NOT_HERE =
  "Answer approvals in the page with an Edit link, in the window where pairpty runs, or with `pairpty approve ID --code`";

type Desk = Pick<ApprovalDesk, "open" | "answer" | "register">;

export class ApprovalDialect implements Dialect {
  readonly prefix = "approval:";
  /**
   * Only through the relay and with edit rights: an agent's program on this machine has neither.
   */
  readonly doors = ["people"] as const;
  readonly forThoseWhoMay = "change";
  readonly elsewhere = NOT_HERE;
  readonly #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Registers the page as an approval surface: edit links get requests and their outcomes. */
  opened(audience: Audience): () => void {
    return this.#desk.register({
      attendance: () => (audience.isAnybodyThere() ? "answers" : "nobody"),
      told: (event) => audience.tell(words(event)),
    });
  }

  /** Sends the open approvals; also called when the bridge reconnects. */
  joined(caller: Caller): void {
    const open = this.#desk.open();
    const ids = open.map(({ id }) => id);
    caller.tell(words({ type: "approval:open", ids }));
    for (const approval of open) caller.tell(words({ type: "approval:requested", approval }));
  }

  /** Sends an empty list to a caller that lost the right to answer. */
  left(caller: Caller, why: "gone" | "barred"): void {
    if (why === "barred") caller.tell(words({ type: "approval:open", ids: [] }));
  }

  message(caller: Caller, message: Message): void {
    const parsed = readMessage(ApprovalAnswer, message);
    if (!parsed.ok) return caller.tell(this.error("bad_request", parsed.error, idOf(message)));
    const { answer, reason } = parsed.value;
    const grant = caller.grant();
    if (grant === undefined) return undefined;
    const { name } = caller.standing ?? {};
    const named = name === undefined ? {} : { name };
    const by: ApprovalBy = { label: nameOf(grant), ...named, door: caller.door.name };
    const answered = this.#desk.answer(parsed.value.id, answer, by, reason);
    if (!answered.ok) caller.tell(this.error(answered.code, answered.error, parsed.value.id));
    else if (answered.notSaved !== undefined) {
      const { pageMessage } = answered.notSaved;
      caller.tell(this.error("not_saved", `Allowed once. ${pageMessage}`, parsed.value.id));
    }
    return undefined;
  }

  error(code: ErrorCode, error: string, id?: string): string {
    return words({ type: "approval:error", ...(id === undefined ? {} : { id }), code, error });
  }
}

function words(message: ApprovalServerMessage): string {
  return JSON.stringify(message);
}
