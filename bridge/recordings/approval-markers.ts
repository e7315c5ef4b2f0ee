// Owns the markers of approvals in recordings; masks secrets like the audit log. Pure.

import type { Approval, ApprovalSettled } from "../../protocol/approval.ts";
import { displayName } from "../../protocol/names.ts";
import { maskText, maskValue } from "../secrets/mask.ts";

interface RequestedEvent {
  readonly type: "approval:requested";
  readonly approval: Pick<Approval, "agent" | "command">;
}

export function formatApprovalMarker(event: RequestedEvent | ApprovalSettled): string {
  if (event.type === "approval:requested") {
    const { agent, command } = event.approval;
    // Masks word by word first: in the joined line, the end of a secret with a space is lost.
    const line = maskText([maskValue(command)].flat().join(" "));
    return `${agent.label || agent.grant} asks: ${line}`;
  }
  const { outcome, by, reason } = event;
  const who = by === undefined ? "" : ` by ${displayName(by.name, by.label)}`;
  return `${outcome}${who}${reason === undefined ? "" : `: ${maskText(reason)}`}`;
}
