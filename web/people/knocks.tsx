// Owns the cards of people who wait to be let in, for those who may admit them.

import { useSession } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";

const KnockCard = lazyComponent(async () => (await import("./knock-card.tsx")).KnockCard);

/** More would cover the terminals; the rest is in the list of people. */
const MAX_CARDS = 2;

export function Knocks() {
  const { store } = useSession();
  const knocks = store.reachable.value && store.mayEdit.value ? store.people.knocks.value : [];
  const shown = knocks.slice(0, MAX_CARDS);
  const more = knocks.length - shown.length;
  return (
    <div class="toasts" role="log" aria-live="assertive" aria-label="Waiting to join">
      {shown.map((knock) => (
        <KnockCard key={knock.id} knock={knock} />
      ))}
      {more > 0 && (
        <div class="toast">
          <p>{more} more are waiting to join.</p>
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
