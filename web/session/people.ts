// Owns the people in the room as this page knows them: who is here, who waits at the door, our own
// identity, and whom we follow. The bridge decides.

import { batch, computed, signal } from "@preact/signals";
import type {
  Knock,
  Person,
  RoomAway,
  RoomLink,
  RoomPeople,
  RoomShared,
  RoomYou,
} from "../../protocol/room.ts";
import { displayName, cleanName } from "../../protocol/names.ts";

const CAN_TYPE_AGAIN = "You can type again.";
const WATCH_ONLY = "This browser was limited to watching. Ask the host to let you type again.";

export type PeopleById = ReadonlyMap<string, Person>;

export class People {
  /** Undefined until the room has sent the list. */
  readonly all = signal<PeopleById | undefined>(undefined);
  readonly you = signal<RoomYou | undefined>(undefined);
  readonly knocks = signal<readonly Knock[]>([]);
  /** Waiting at the door, where nothing about the room is known. */
  readonly isWaiting = signal(false);
  /** Digits that the host compares with ours before it lets us in; of this handshake alone. */
  readonly digits = signal<string | undefined>(undefined);
  /** Whether this browser has its own saved link. */
  readonly isRemembered = signal(false);
  /** Why the room closed our socket, which it sends before it does. */
  readonly away = signal<Pick<RoomAway, "why" | "by" | "you"> | undefined>(undefined);
  /** The id of the person whose view our page follows. */
  readonly following = signal<string | undefined>(undefined);
  /** Links that this page made; `shared` is the last one, complete with its token. */
  readonly links = signal<readonly RoomLink[]>([]);
  readonly shared = signal<RoomShared | undefined>(undefined);

  readonly others = computed(() => {
    const you = this.you.value?.you;
    return [...(this.all.value?.values() ?? [])].filter(({ id }) => id !== you);
  });
  readonly followed = computed(() => {
    const id = this.following.value;
    return id === undefined ? undefined : this.all.value?.get(id);
  });
  readonly #toast: (text: string) => void;

  constructor(toast: (text: string) => void) {
    this.#toast = toast;
  }

  onPeople(message: RoomPeople): void {
    const followed = this.followed.peek();
    batch(() => {
      this.all.value = applyPeople(this.all.peek(), message);
      if (followed === undefined || this.followed.peek() !== undefined) return;
      this.following.value = undefined;
      this.#toast(`${displayName(followed)} left.`);
    });
  }

  onYou(message: RoomYou): void {
    const before = this.you.peek();
    this.you.value = message;
    if (before === undefined || before.role === message.role) return;
    this.#toast(message.role === "edit" ? CAN_TYPE_AGAIN : WATCH_ONLY);
  }

  onShared(message: RoomShared): void {
    batch(() => {
      this.shared.value = message;
      this.links.value = [...this.links.peek(), message.grant];
    });
  }

  onAway(away: RoomAway): void {
    this.away.value = away;
  }

  /** Forgets the people: the next socket gets the whole list again. */
  forget(): void {
    batch(() => {
      this.all.value = undefined;
      this.knocks.value = [];
    });
  }
}

export function applyPeople(
  all: PeopleById | undefined,
  { people, gone, whole }: RoomPeople,
): PeopleById {
  const next = new Map(whole === true ? [] : all);
  for (const person of people) next.set(person.id, person);
  for (const id of gone) next.delete(id);
  return next;
}

/** Returns a short name for narrow places: the chosen name, or the link's label. */
export function toShortName({ name, label }: Pick<Person, "name" | "label">): string {
  return name ?? label;
}

/** Labels that pairpty gives to links without a recipient. */
const GENERIC_LABEL = /^(?:(?:edit|view) link|shared \d\d:\d\d|made by .*|.*: this browser)$/;

/** Whether a link's label names no recipient. */
function isGenericLabel(label: string): boolean {
  return GENERIC_LABEL.test(label);
}

/** Formats the note for a new link. */
export function formatLinkCreated(label: string): string {
  const whose = isGenericLabel(label) ? "" : `For ${label}. `;
  return `${whose}Copy it now; it is not shown again.`;
}

/** Suggests a name: the label of a link that was made for a person. */
export function suggestName({ label, own }: Pick<RoomYou, "label" | "own">): string {
  return own || isGenericLabel(label) ? "" : (cleanName(label) ?? "");
}
