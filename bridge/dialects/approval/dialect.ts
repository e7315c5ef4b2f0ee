// Owns approvals on people's sockets: sends open approvals to those who may answer, and passes
// their answers to the desk. Does not decide what an answer means.

import { compact } from "../../../protocol/compact.ts";
import type { ApprovalBy, ApprovalServerMessage } from "../../../protocol/approval.ts";
import { ApprovalAnswer } from "../../../protocol/approval.ts";
import type { ErrorCode } from "../../../protocol/codes.ts";
import { linkName } from "../../../protocol/names.ts";
import type { ApprovalDesk } from "../../approvals/desk.ts";
import type { Caller, Sender } from "../../callers/caller.ts";
import type { Audience, Dialect } from "../../callers/dialect-interface.ts";
import type { Message } from "../../callers/message-parsing.ts";
import { getMessageId, parseMessage } from "../../callers/message-parsing.ts";

const NOT_HERE =
  "Answer approvals in the page with an Edit link, in the window where pairpty runs, or with `pairpty approve ID --code`";

type Desk = Pick<ApprovalDesk, "listOpen" | "answer" | "register">;

export class ApprovalDialect implements Dialect {
  readonly prefix = "approval:";
  /**
   * Only through the relay and with edit rights: an agent's program on this machine has neither.
   */
  readonly doors = ["people"] as const;
  readonly requires = "change";
  readonly unavailableMessage = NOT_HERE;
  readonly #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Registers the page as an approval surface: edit links get requests and their outcomes. */
  onRegister(audience: Audience): () => void {
    return this.#desk.register({
      getAttendance: () => (audience.hasMembers() ? "answers" : "nobody"),
      notify: (event) => audience.send(encode(event)),
    });
  }

  /** Sends the open approvals; also called when the bridge reconnects. */
  onJoin(caller: Caller): void {
    const open = this.#desk.listOpen();
    const ids = open.map(({ id }) => id);
    caller.send(encode({ type: "approval:open", ids }));
    for (const approval of open) caller.send(encode({ type: "approval:requested", approval }));
  }

  /** Sends an empty list to a caller that lost the right to answer. */
  onLeave(caller: Caller, why: "gone" | "barred"): void {
    if (why === "barred") caller.send(encode({ type: "approval:open", ids: [] }));
  }

  onMessage({ caller, grant }: Sender, message: Message): void {
    const parsed = parseMessage(ApprovalAnswer, message);
    if (!parsed.ok)
      return caller.send(this.error("bad_request", parsed.error, getMessageId(message)));
    const { answer, reason } = parsed.value;
    const { name } = caller.status ?? {};
    const named = name === undefined ? {} : { name };
    const by: ApprovalBy = { label: linkName(grant), ...named, door: caller.door.name };
    const answered = this.#desk.answer(parsed.value.id, answer, by, reason);
    if (!answered.ok) caller.send(this.error(answered.code, answered.error, parsed.value.id));
    else if (answered.notSaved !== undefined) {
      const { pageMessage } = answered.notSaved;
      caller.send(this.error("not_saved", `Allowed once. ${pageMessage}`, parsed.value.id));
    }
    return undefined;
  }

  error(code: ErrorCode, error: string, id?: string): string {
    return encode({ type: "approval:error", ...compact({ id }), code, error });
  }
}

function encode(message: ApprovalServerMessage): string {
  return JSON.stringify(message);
}
