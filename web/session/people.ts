// Owns who is here as this page knows it: the people, who waits at the door, who we are to the others,
// and whom we follow. Decides nothing: the bridge does.

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
import { calledBy, cleanName } from "../../protocol/names.ts";

const AGAIN = "You may type again.";
const LIMITED = "This browser was limited to watching. Ask the host to let you type again.";

export type ById = ReadonlyMap<string, Person>;

export class People {
  /** Undefined until the room has told. */
  readonly all = signal<ById | undefined>(undefined);
  readonly you = signal<RoomYou | undefined>(undefined);
  readonly knocks = signal<readonly Knock[]>([]);
  /** At the door: nothing of the room is known. */
  readonly isWaiting = signal(false);
  /** A link of this browser's own is kept here. */
  readonly isRemembered = signal(false);
  /** Why the room closed the door; it says so before it does. */
  readonly away = signal<Pick<RoomAway, "why" | "by" | "you"> | undefined>(undefined);
  /** By id: our page shows what they look at. */
  readonly following = signal<string | undefined>(undefined);
  /** Links that this page made, and the one that it made last, whole. */
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
      this.all.value = changed(this.all.peek(), message);
      if (followed === undefined || this.followed.peek() !== undefined) return;
      this.following.value = undefined;
      this.#toast(`${calledOf(followed)} left.`);
    });
  }

  onYou(message: RoomYou): void {
    const before = this.you.peek();
    this.you.value = message;
    if (before === undefined || before.role === message.role) return;
    this.#toast(message.role === "edit" ? AGAIN : LIMITED);
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

  /** The next socket is told everything anew. */
  forget(): void {
    batch(() => {
      this.all.value = undefined;
      this.knocks.value = [];
    });
  }
}

export function changed(all: ById | undefined, { people, gone, whole }: RoomPeople): ById {
  const next = new Map(whole === true ? [] : all);
  for (const person of people) next.set(person.id, person);
  for (const id of gone) next.delete(id);
  return next;
}

/** A chosen name never stands without the label of its link. */
export function calledOf({ name, label }: Pick<Person, "name" | "label">): string {
  return calledBy(name, label);
}

/** One word for where there is little room: the name, and the label where nobody chose one. */
export function shortOf({ name, label }: Pick<Person, "name" | "label">): string {
  return name ?? label;
}

/** Labels that pairpty gives where nobody said whom a link is for. */
const NOBODYS = /^(?:(?:edit|view) link|shared \d\d:\d\d|made by .*|.*: this browser)$/;

/** Whether a link's label says of nobody that it is theirs. */
function isNobodys(label: string): boolean {
  return NOBODYS.test(label);
}

/** What is said of a link that was just made. */
export function madeWords(label: string): string {
  const whose = isNobodys(label) ? "" : `For ${label}. `;
  return `${whose}Copy it now; it is not shown again.`;
}

/** A link that was made for somebody has their name. */
export function suggestedName({ label, own }: Pick<RoomYou, "label" | "own">): string {
  return own || isNobodys(label) ? "" : (cleanName(label) ?? "");
}
