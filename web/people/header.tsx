// Owns what the bar shows about people: how many are here. Also owns people's avatars: initials on a colour that is the same on every page, and whether they are typing.

import type { Person } from "../../protocol/room.ts";
import { CommandButton } from "../commands/command-button.tsx";
import { useSession } from "../context.ts";
import { displayName } from "../../protocol/names.ts";
import { toShortName } from "../session/people.ts";
import { PEOPLE } from "./commands.ts";
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

/** Dark enough for white text. */
export const FACE_COLORS = [
  "#8a3ffc",
  "#0f62a8",
  "#0b6b52",
  "#8a4a00",
  "#b3264a",
  "#5a5f00",
  "#7a3b8f",
  "#3d5a80",
] as const;

/** More would push the tabs aside. */
const MAX_FACES = 3;

function Avatars({ people }: { people: readonly Person[] }) {
  const shown = people.length > MAX_FACES + 1 ? people.slice(0, MAX_FACES) : people;
  const more = people.length - shown.length;
  return (
    <span class="faces" aria-hidden="true">
      {shown.map((person) => (
        <span
          key={person.id}
          class={`face${person.typing === undefined ? "" : " typing"}`}
          style={{ background: getColor(person.id) }}
          title={`${displayName(person)}${person.typing === undefined ? "" : ", typing"}`}
        >
          {getInitials(toShortName(person))}
        </span>
      ))}
      {more > 0 && <span class="face more">+{more}</span>}
    </span>
  );
}

/** Returns the first letters of the first and the last word; symbols do not count. */
export function getInitials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letter = (word: string | undefined): string => /^./u.exec(word ?? "")?.[0] ?? "";
  const last = words.length > 1 ? words.at(-1) : undefined;
  return `${letter(words[0])}${letter(last)}`.toUpperCase() || "?";
}

/** Returns a colour that is the same for one browser on every page. */
export function getColor(id: string): string {
  let sum = 0;
  for (let at = 0; at < id.length; at += 1) sum = (sum * 31 + id.charCodeAt(at)) >>> 0;
  return FACE_COLORS[sum % FACE_COLORS.length] ?? FACE_COLORS[0];
}
