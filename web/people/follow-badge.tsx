// Owns what the bar shows about the person whom this page follows.

import { useSession } from "../context.ts";
import { displayName } from "../../protocol/names.ts";
import { toShortName } from "../session/people.ts";
import { unfollow } from "./commands.ts";
import "./follow-badge.css";

/** Shows whom we follow, with a button to stop. */
export function FollowBadge() {
  const session = useSession();
  const person = session.store.people.followed.value;
  if (!person) return null;
  return (
    <button
      type="button"
      class="badge following"
      title={`Following ${displayName(person)}: this page shows what they look at. Click to stop`}
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
