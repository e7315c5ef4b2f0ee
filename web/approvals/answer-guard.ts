// Owns what prevents accidental answers: the card takes the focus only on request and gives it back,
// and a question that has just appeared cannot be answered.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Approval } from "../../protocol/approval.ts";
import { useSession } from "../context.ts";

/** A click or key within this time was meant for what was on the screen before. */
const ARM_DELAY_MS = 500;

/** Arms the question for answers after it has been in front for a moment. */
export function useArmDelay(approval: Approval): void {
  const { approvals } = useSession().store;
  useEffect(() => {
    const timer = setTimeout(() => {
      approvals.armed.value = approval;
    }, ARM_DELAY_MS);
    return () => {
      clearTimeout(timer);
      approvals.armed.value = undefined;
    };
  }, [approval]);
}

/** Moves the focus to the card on request, and back to its origin. */
export function useCardFocus(card: RefObject<HTMLElement | null>) {
  const { approvals, views } = useSession().store;
  const isAsked = approvals.wantsFocus.value;
  const origin = useRef<EventTarget | null>(null);
  const isInside = (target: EventTarget | null): boolean =>
    target instanceof Node && card.current?.contains(target) === true;
  const leave = (): void => {
    const from = origin.current;
    if (from instanceof HTMLElement && from.isConnected) from.focus();
    else views.focus.value += 1;
  };
  const onFocusIn = ({ relatedTarget }: FocusEvent): void => {
    if (!isInside(relatedTarget)) origin.current = relatedTarget;
  };
  useLayoutEffect(() => {
    if (!isAsked) return;
    approvals.wantsFocus.value = false;
    card.current?.focus();
  }, [isAsked]);
  useLayoutEffect(
    () => () => {
      if (isInside(document.activeElement)) leave();
    },
    [],
  );
  return { leave, onFocusIn };
}
