// Owns what the bar shows about people: how many are here, and whom we follow.

import { CommandButton } from "../commands/command-button.tsx";
import { useSession } from "../context.ts";
import { toDisplayName, toShortName } from "../session/people.ts";
import { unfollow } from "./actions.ts";
import { PEOPLE } from "./commands.ts";
import { Avatars } from "./faces.tsx";
import "./people.css";

export function PeopleButton() {
  const { store } = useSession();
  const { all, knocks, others } = store.people;
  if (all.value === undefined) return null;
  const count = others.value.length + 1;
  const waiting = knocks.value.length;
  const label = `${count} ${count === 1 ? "person" : "people"} here${waiting > 0 ? `, ${waiting} waiting` : ""}`;
  return (
    <CommandButton command={PEOPLE} class="icon-button people-button" label={label}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="6.5" r="3.2" />
        <path d="M3.5 17a6.5 6.5 0 0 1 13 0" />
      </svg>
      <span class="people-count">{count}</span>
      {count > 1 && <Avatars people={[...all.value.values()]} />}
      {waiting > 0 && <span class="dot" aria-hidden="true" />}
    </CommandButton>
  );
}

/** Shows whom we follow, with a button to stop. */
export function FollowBadge() {
  const session = useSession();
  const person = session.store.people.followed.value;
  if (!person) return null;
  return (
    <button
      type="button"
      class="badge following"
      title={`Following ${toDisplayName(person)}: this page shows what they look at. Click to stop`}
      onClick={() => unfollow(session)}
    >
      <span class="following-name">
        <span class="if-wide">Following </span>
        {toShortName(person)}
      </span>
      <span aria-hidden="true">×</span>
    </button>
  );
}
