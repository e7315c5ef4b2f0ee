// Announcements of who came and who left.

import { expect, test } from "vitest";
import { compact } from "../../protocol/compact.ts";
import type { Person } from "../../protocol/room.ts";
import type { PeopleById } from "../session/people.ts";
import { People } from "../session/people.ts";
import { announceArrivals } from "./arrivals.ts";

/** `before`: the first list, and `here`: the list when the announcements start. */
function world(before?: PeopleById, here: Person[] = []) {
  const notices: string[] = [];
  let now = 0;
  let timers: { at: number; action: () => void }[] = [];
  const people = new People(() => {});
  const schedule = (action: () => void, milliseconds: number) => {
    const timer = { at: now + milliseconds, action };
    timers.push(timer);
    return { cancel: () => (timers = timers.filter((one) => one !== timer)) };
  };
  const toast = (text: string) => notices.push(text);
  const updatePeople = (list: Person[], gone: string[] = []) =>
    people.onPeople({ type: "room:people", people: list, gone });
  if (here.length > 0) updatePeople(here);
  const end = announceArrivals({ people, before, toast, schedule, now: () => now });
  const pass = (milliseconds: number) => {
    now += milliseconds;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { action } of due) action();
  };
  people.onYou({ type: "room:you", you: "me", label: "edit link", role: "edit" });
  return { people, notices, pass, updatePeople, end };
}

const person = (id: string, name?: string): Person => ({
  id,
  label: "guest",
  role: "edit",
  since: 0,
  ...compact({ name }),
});

test("PE16 who comes and who leaves is said by name, and nothing of those who were here, or of a reload", () => {
  const { notices, pass, updatePeople } = world();
  updatePeople([person("me"), person("ana", "Ana")]);
  updatePeople([person("gus")]);
  updatePeople([person("gus", "Gus")]);
  pass(700);
  expect(notices).toEqual(["Gus (guest) joined."]);
  updatePeople([], ["gus"]);
  pass(1_000);
  updatePeople([person("gus", "Gus")]);
  pass(5_000);
  expect(notices).toHaveLength(1);
  updatePeople([], ["ana"]);
  pass(3_000);
  expect(notices.at(-1)).toBe("Ana (guest) left.");
});

test("PE16 a socket that becomes a person is one arrival; one that goes at once is none; no page says itself", () => {
  const { notices, pass, updatePeople, end } = world();
  updatePeople([person("me")]);
  updatePeople([person("peer-4")]);
  updatePeople([person("hal", "Hal")], ["peer-4"]);
  updatePeople([person("ida", "Ida")]);
  updatePeople([], ["ida"]);
  pass(5_000);
  updatePeople([], ["me"]);
  updatePeople([person("me")]);
  pass(5_000);
  expect(notices).toEqual(["Hal (guest) joined."]);
  updatePeople([person("jo", "Jo")]);
  end();
  pass(5_000);
  expect(notices).toHaveLength(1);
});

test("PE16 who came before the announcements started, and after the first list, is announced, too", () => {
  const ana = person("ana", "Ana");
  const { notices, pass } = world(new Map([["ana", ana]]), [ana, person("gus", "Gus")]);
  pass(700);
  expect(notices).toEqual(["Gus (guest) joined."]);
});
