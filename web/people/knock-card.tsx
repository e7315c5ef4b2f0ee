// Owns the card of a person who waits to be let in, and its two buttons.

import type { Knock } from "../../protocol/room.ts";
import { useSession } from "../context.ts";
import { displayName } from "../../protocol/names.ts";

export function KnockCard({ knock }: { knock: Knock }) {
  return (
    <div class="toast ask">
      <p>
        <strong>{displayName(knock)}</strong> is waiting to join.{" "}
        {knock.role === "edit"
          ? "With an Edit link they can type (full shell access)."
          : "With a View link they can watch."}
      </p>
      {knock.digits !== undefined && (
        <p class="digits">
          Let them in only if they see the same code: <strong>{formatDigits(knock.digits)}</strong>
        </p>
      )}
      <KnockButtons knock={knock} />
    </div>
  );
}

/** Returns six digits as two groups, which are easier to compare. */
export function formatDigits(digits: string): string {
  return `${digits.slice(0, 3)} ${digits.slice(3)}`;
}

export function KnockButtons({ knock }: { knock: Knock }) {
  const session = useSession();
  return (
    <div class="actions">
      <button
        type="button"
        class="quiet"
        onClick={() => session.send({ type: "room:turn-away", who: knock.id })}
      >
        Turn away
      </button>
      <button
        type="button"
        class="primary"
        onClick={() => session.send({ type: "room:admit", who: knock.id })}
      >
        Let in
      </button>
    </div>
  );
}
