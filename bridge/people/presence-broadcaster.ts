// Owns sending people who is here: a newcomer gets the whole list, the others get changes, batched
// so that a crowd costs few messages. A person with several pages is one row. Rows name only
// terminals that their reader may see.

import type { Person, RoomPeople } from "../../protocol/room.ts";
import type { Caller } from "../callers/caller.ts";
import type { Hub } from "../callers/hub.ts";
import { hasPermission } from "../callers/permissions.ts";
import { canSee } from "../callers/visibility.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Schedule } from "../schedule.ts";
import { BatchedFlush } from "./batched-flush.ts";

/** Short enough to look live, long enough to batch related changes. */
const BATCH_MS = 100;

/** Readers who may see private terminals get different rows from those who may not. */
const READER_ROLES = ["edit", "view"] as const;
type ReaderRole = (typeof READER_ROLES)[number];

export interface PresenceBroadcasterDeps {
  readonly hub: Pick<Hub, "broadcast">;
  readonly terminal: (id: string) => Pick<PoolTerminal, "meta"> | undefined;
  /** Returns everyone, with the terminals that each really looks at. */
  readonly people: () => readonly Person[];
  /** Whether the caller wants messages about others. */
  readonly receivesPresence: (caller: Caller) => boolean;
  /** Schedules an action; returns its cancel function. */
  readonly schedule?: Schedule;
}

type SentRows = Map<string, string>;

export class PresenceBroadcaster extends BatchedFlush {
  readonly #deps: PresenceBroadcasterDeps;
  readonly #sentRows: Record<ReaderRole, SentRows> = { edit: new Map(), view: new Map() };

  constructor(deps: PresenceBroadcasterDeps) {
    super(BATCH_MS, deps.schedule);
    this.#deps = deps;
  }

  /** Sends the whole list to a newcomer. */
  welcome(caller: Caller): void {
    const grant = caller.grant();
    if (grant === undefined) return;
    const readerRole = toReaderRole(grant);
    const people = this.#listRows(readerRole);
    // Marked as sent, so that a person who leaves before the next flush is reported as gone here,
    // too.
    const sentRows = this.#sentRows[readerRole];
    for (const { id } of people) if (!sentRows.has(id)) sentRows.set(id, "");
    caller.send(encode({ type: "room:people", people, gone: [], whole: true }));
  }

  protected override flush(): void {
    const { receivesPresence } = this.#deps;
    for (const readerRole of READER_ROLES) {
      const rows = this.#listRows(readerRole);
      const { people, gone } = diffRows(this.#sentRows[readerRole], rows);
      this.#sentRows[readerRole] = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
      if (people.length === 0 && gone.length === 0) continue;
      const message = encode({ type: "room:people", people, gone });
      this.#deps.hub.broadcast(message, (caller, grant) => {
        return receivesPresence(caller) && toReaderRole(grant) === readerRole;
      });
    }
  }

  #listRows(role: ReaderRole): Person[] {
    const { people, terminal } = this.#deps;
    const visibleId = (id: string | undefined) => {
      const meta = id === undefined ? undefined : terminal(id)?.meta;
      return meta !== undefined && canSee({ role }, meta) ? id : undefined;
    };
    return people().map(({ looking, typing, ...row }) => {
      const [looks, types] = [visibleId(looking), visibleId(typing)];
      return {
        ...row,
        ...(looks === undefined ? {} : { looking: looks }),
        ...(types === undefined ? {} : { typing: types }),
      };
    });
  }
}

/** Returns the rows that changed and the ids that are gone since the last message. */
export function diffRows(
  sentRows: SentRows,
  rows: readonly Person[],
): { people: Person[]; gone: string[] } {
  const here = new Set(rows.map(({ id }) => id));
  return {
    people: rows.filter((row) => sentRows.get(row.id) !== JSON.stringify(row)),
    gone: [...sentRows.keys()].filter((id) => !here.has(id)),
  };
}

function toReaderRole(grant: Pick<Grant, "role">): ReaderRole {
  return hasPermission(grant, "change") ? "edit" : "view";
}

function encode(message: RoomPeople): string {
  return JSON.stringify(message);
}
