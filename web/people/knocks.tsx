// Owns the cards of those who wait at the door, for whoever may let them in.

import type { Knock } from "../../protocol/room.ts";
import { useSession } from "../context.ts";
import { calledOf } from "../session/people.ts";

/** More would cover the terminals; the rest is in the list of people. */
const MOST_CARDS = 2;

export function Knocks() {
  const { store } = useSession();
  const knocks = store.reachable.value && store.mayEdit.value ? store.people.knocks.value : [];
  const shown = knocks.slice(0, MOST_CARDS);
  const more = knocks.length - shown.length;
  return (
    <div class="toasts" role="log" aria-live="assertive" aria-label="At the door">
      {shown.map((knock) => (
        <KnockCard key={knock.id} knock={knock} />
      ))}
      {more > 0 && (
        <div class="toast">
          <p>{more} more wait at the door.</p>
          <button
            type="button"
            class="quiet"
            onClick={() => (store.dialog.value = { kind: "people" })}
          >
            Show
          </button>
        </div>
      )}
    </div>
  );
}

function KnockCard({ knock }: { knock: Knock }) {
  return (
    <div class="toast ask">
      <p>
        <strong>{calledOf(knock)}</strong> waits at the door.{" "}
        {knock.role === "edit"
          ? "Let in, they can type: a shell as the host."
          : "They would watch."}
      </p>
      <KnockButtons knock={knock} />
    </div>
  );
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
