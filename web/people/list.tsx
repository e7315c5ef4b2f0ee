// Owns the list of people: who is here, what each does, and the actions on them.

import type { Person } from "../../protocol/room.ts";
import { getNotKeptReason } from "../../protocol/names.ts";
import { useSession } from "../context.ts";
import { formatName } from "../session/terminal-names.ts";
import { displayName } from "../../protocol/names.ts";
import { follow, confirmRemove, setRole, unfollow } from "./commands.ts";
import { formatDigits, KnockButtons } from "./knock-card.tsx";
import "./list.css";
import { NameForm } from "./name-form.tsx";
import { Sharing } from "./sharing.tsx";

export function PeopleList() {
  const { store } = useSession();
  const { people } = store;
  const you = people.you.value;
  const knocks = store.mayEdit.value ? people.knocks.value : [];
  return (
    <>
      {knocks.length > 0 && (
        <>
          <h3>Waiting to join</h3>
          <ul class="people">
            {knocks.map((knock) => (
              <li key={knock.id}>
                <div class="person">
                  <strong>{displayName(knock)}</strong>
                  <span class="soft">
                    {knock.role === "edit" ? "Edit link" : "View link"}
                    {knock.digits !== undefined && ` · code ${formatDigits(knock.digits)}`}
                  </span>
                </div>
                <KnockButtons knock={knock} />
              </li>
            ))}
          </ul>
          <h3>Here</h3>
        </>
      )}
      <ul class="people">
        {you && <You />}
        {people.others.value.map((person) => (
          <PersonRow key={person.id} person={person} />
        ))}
      </ul>
      {you && <NameForm id="people-name" button="Save name" />}
      {you && <Remember />}
      {you?.mayShare && <Sharing />}
    </>
  );
}

function You() {
  const { store } = useSession();
  const you = store.people.you.value;
  if (!you) return null;
  return (
    <li>
      <div class="person">
        <strong>{displayName(you)}</strong>
        <span class="soft">
          you · {you.role === "edit" ? "can type" : "can watch"}
          {you.limited && " (this browser was limited: ask the host to let you type again)"}
        </span>
      </div>
    </li>
  );
}

function PersonRow({ person }: { person: Person }) {
  const session = useSession();
  const { store } = session;
  const isFollowed = store.people.following.value === person.id;
  const called = displayName(person);
  // The bridge rejects it for everyone else.
  const mayChange =
    store.mayEdit.value && (person.host !== true || store.people.you.value?.own === true);
  return (
    <li>
      <div class="person">
        <strong>{called}</strong>
        <span class="soft">
          {person.role === "edit" ? "can type" : "can watch"}
          {person.limited && " (limited)"}
          <Activity person={person} />
        </span>
      </div>
      <div class="actions">
        <button
          type="button"
          class="quiet"
          aria-label={isFollowed ? `Stop following ${called}` : `Follow ${called}`}
          onClick={() => (isFollowed ? unfollow(session) : follow(session, person))}
        >
          {isFollowed ? "Stop following" : "Follow"}
        </button>
        {mayChange && (person.role === "edit" || person.limited) && (
          <button
            type="button"
            class="quiet"
            aria-label={person.limited ? `Let ${called} type` : `Limit ${called} to watching`}
            onClick={() => setRole(session, person, person.limited ? "edit" : "view")}
          >
            {person.limited ? "Let them type" : "Limit to watching"}
          </button>
        )}
        {mayChange && (
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${called}`}
            onClick={() => confirmRemove(session, person)}
          >
            Remove
          </button>
        )}
      </div>
    </li>
  );
}

function Activity({ person: { typing, looking } }: { person: Person }) {
  const { store } = useSession();
  const name = formatName(store.names.value.get(typing ?? looking ?? ""));
  if (name === "") return null;
  return <> · {typing === undefined ? `viewing ${name}` : `typing in ${name}`}</>;
}

/** Offers to remember this browser, unless its address may belong to others later. */
function Remember() {
  const session = useSession();
  const { store } = session;
  if (store.people.you.value?.remembered || store.people.isRemembered.value) {
    return (
      <p class="hint">
        This browser is remembered here.{" "}
        <button type="button" class="quiet" onClick={() => session.self.forget()}>
          Forget it
        </button>
      </p>
    );
  }
  const why = getNotKeptReason(location.origin);
  if (why !== undefined) return <p class="hint">This browser cannot be remembered. {why}</p>;
  return (
    <p class="hint">
      <button
        type="button"
        class="quiet"
        onClick={() => session.send({ type: "room:remember", origin: location.origin })}
      >
        Remember this browser
      </button>{" "}
      A bookmark of this page then opens the room here, as long as your link lasts.
    </p>
  );
}
