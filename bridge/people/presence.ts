// Owns sending people who is here: a newcomer gets the whole list, the others get changes, batched
// so that a crowd costs few messages. A person with several pages is one row. Rows name only
// terminals that their reader may see.

import type { Person, RoomPeople } from "../../protocol/room.ts";
import type { Caller } from "../callers/caller.ts";
import type { Hub } from "../callers/hub.ts";
import { may } from "../callers/rights.ts";
import { maySee } from "../callers/sight.ts";
import type { Grant } from "../grants/table.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Later } from "./gathering.ts";
import { Gathering } from "./gathering.ts";

/** Short enough to look live, long enough to batch related changes. */
const GATHER_MS = 100;

/** Readers who may see private terminals get different rows from those who may not. */
const SIGHTS = ["edit", "view"] as const;
type Sight = (typeof SIGHTS)[number];

export interface PresenceParts {
  readonly hub: Pick<Hub, "tell">;
  readonly terminal: (id: string) => Pick<PoolTerminal, "meta"> | undefined;
  /** Returns everyone, with the terminals that each really looks at. */
  readonly people: () => readonly Person[];
  /** Whether the caller wants messages about others. */
  readonly listens: (caller: Caller) => boolean;
  /** Schedules an action; returns its cancel function. */
  readonly later?: Later;
}

type Told = Map<string, string>;

export class Presence extends Gathering {
  readonly #parts: PresenceParts;
  readonly #told: Record<Sight, Told> = { edit: new Map(), view: new Map() };

  constructor(parts: PresenceParts) {
    super(GATHER_MS, parts.later);
    this.#parts = parts;
  }

  /** Sends the whole list to a newcomer. */
  welcome(caller: Caller): void {
    const grant = caller.grant();
    if (grant === undefined) return;
    const sight = sightOf(grant);
    const people = this.#rowsFor(sight);
    // Marked as sent, so that a person who leaves before the next flush is reported as gone here,
    // too.
    const told = this.#told[sight];
    for (const { id } of people) if (!told.has(id)) told.set(id, "");
    caller.tell(words({ type: "room:people", people, gone: [], whole: true }));
  }

  protected override flush(): void {
    const { listens } = this.#parts;
    for (const sight of SIGHTS) {
      const rows = this.#rowsFor(sight);
      const { people, gone } = difference(this.#told[sight], rows);
      this.#told[sight] = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
      if (people.length === 0 && gone.length === 0) continue;
      const message = words({ type: "room:people", people, gone });
      this.#parts.hub.tell(message, (caller, grant) => {
        return listens(caller) && sightOf(grant) === sight;
      });
    }
  }

  #rowsFor(role: Sight): Person[] {
    const { people, terminal } = this.#parts;
    const seen = (id: string | undefined) => {
      const meta = id === undefined ? undefined : terminal(id)?.meta;
      return meta !== undefined && maySee({ role }, meta) ? id : undefined;
    };
    return people().map(({ looking, typing, ...row }) => {
      const [looks, types] = [seen(looking), seen(typing)];
      return {
        ...row,
        ...(looks === undefined ? {} : { looking: looks }),
        ...(types === undefined ? {} : { typing: types }),
      };
    });
  }
}

/** Returns the rows that changed and the ids that are gone since the last message. */
export function difference(
  told: Told,
  rows: readonly Person[],
): { people: Person[]; gone: string[] } {
  const here = new Set(rows.map(({ id }) => id));
  return {
    people: rows.filter((row) => told.get(row.id) !== JSON.stringify(row)),
    gone: [...told.keys()].filter((id) => !here.has(id)),
  };
}

function sightOf(grant: Pick<Grant, "role">): Sight {
  return may(grant, "change") ? "edit" : "view";
}

function words(message: RoomPeople): string {
  return JSON.stringify(message);
}
