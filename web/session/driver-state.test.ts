import { expect, test } from "vitest";
import type { PtyAsked, PtyDriver } from "../../protocol/pty.ts";
import type { Person } from "../../protocol/room.ts";
import type { DriverState } from "./driver-state.ts";
import {
  removeControlRequest,
  addControlRequest,
  followsUs,
  canSendReports,
  filterDrivenRequests,
  setDriver,
  isTypingHere,
  countWatchers,
  formatAsker,
  formatTyping,
  zoomTarget,
} from "./driver-state.ts";

const id = "pty-abcdef";
const driver = (part: Partial<PtyDriver>): PtyDriver => ({
  type: "pty:driver",
  id,
  driver: null,
  viewers: 1,
  ...part,
});
const ask = (peer: number, label = "ana"): PtyAsked => ({ type: "pty:asked", id, peer, label });

test("W8 who drives is told by the socket's own number", () => {
  const words = (part: Partial<PtyDriver>, you?: number, isHere = true): string | undefined => {
    const driving = setDriver(new Map(), driver(part), you).get(id);
    return driving && formatTyping(driving, isHere);
  };
  expect(words({ driver: 3 }, 3)).toBe("You are typing");
  // In a split: the pane that does not get the keys.
  expect(words({ driver: 3 }, 3, false)).toBe("You typed last");
  expect(words({ driver: 4, label: "ana" }, 3, false)).toBe("ana typed last");
  expect(words({ driver: 4, label: "ana" }, 3)).toBe("ana is typing");
  // Display names are the same as elsewhere on the page.
  expect(words({ driver: 4, label: "edit link" }, 3)).toBe("edit link is typing");
  expect(words({ driver: 4, label: "ana", name: "Ana" }, 3)).toBe("Ana (ana) is typing");
  expect(words({ driver: 4 })).toBe("someone is typing");
  expect(words({ driver: null }, 3)).toBe("Idle");
});

test("W78 who went on to another terminal typed last in this one, whoever they are", () => {
  const person = { id: "a", label: "ana", role: "edit", since: 0 } as const;
  const ana = { who: "other", label: "ana", viewers: 2 } as const;
  expect(isTypingHere(id, ana, [{ ...person, looking: id }])).toBe(true);
  expect(isTypingHere(id, ana, [{ ...person, looking: "pty-other" }])).toBe(false);
  expect(isTypingHere(id, ana, [{ ...person, looking: "pty-other", typing: id }])).toBe(true);
  expect(isTypingHere(id, ana, [{ ...person, looking: id, typing: "pty-other" }])).toBe(false);
  // Viewing a conversation, or another window.
  expect(isTypingHere(id, ana, [person])).toBe(false);
  // With two people of one label, one may be here; an unknown person counts as here.
  const two = [
    { ...person, looking: "pty-other" },
    { ...person, looking: id },
  ];
  expect(isTypingHere(id, ana, two)).toBe(true);
  expect(isTypingHere(id, ana, [{ ...person, label: "ben", looking: "pty-other" }])).toBe(true);
});

test("W8 those who look at it are counted, by person, without the one who types, and not where we are alone", () => {
  const count = (driving: DriverState, ...others: Partial<Person>[]) =>
    countWatchers(
      id,
      driving,
      others.map((one) => ({ id: "a", label: "ana", role: "edit", since: 0, ...one })),
    );
  const here = { looking: id };
  const elsewhere = { label: "eve", looking: "pty-other" };
  // Two tabs of one browser are two viewers but one person.
  expect(count({ who: "you", viewers: 4 }, here, elsewhere)).toBe(1);
  expect(count({ who: "you", viewers: 2 }, elsewhere)).toBe(0);
  expect(count({ who: "nobody", viewers: 2 })).toBe(0);
  expect(count({ who: "nobody", viewers: 2 }, here)).toBe(2);
  const ana = { who: "other", label: "ana", viewers: 3 } as const;
  expect(count(ana, here)).toBe(1);
  expect(count(ana, here, { ...here, label: "ben" })).toBe(2);
  // She typed last, and moved on.
  expect(count(ana, elsewhere, { ...here, label: "ben" })).toBe(2);
});

test("W8 where the room tells nothing of people, viewers are counted", () => {
  const count = (driving: DriverState) => countWatchers(id, driving, undefined);
  expect(count({ who: "you", viewers: 1 })).toBe(0);
  expect(count({ who: "nobody", viewers: 1 })).toBe(0);
  expect(count({ who: "you", viewers: 3 })).toBe(2);
  expect(count({ who: "other", label: "ana", viewers: 3 })).toBe(2);
  expect(count({ who: "nobody", viewers: 3 })).toBe(3);
});

test("W84 only a driver's page reports focus and mouse", () => {
  const of = (part: Partial<PtyDriver>) => setDriver(new Map(), driver(part), 3).get(id);
  expect(canSendReports(of({ driver: 3 }))).toBe(true);
  expect(canSendReports(of({ driver: null }))).toBe(true);
  expect(canSendReports(of({ driver: 4 }))).toBe(false);
});

test("W80 a question is shown once, until it is answered or we drive no longer", () => {
  const twice = addControlRequest(
    addControlRequest(addControlRequest([], ask(4)), ask(5, "edit link")),
    ask(4),
  );
  expect(twice.map(({ peer }) => peer)).toEqual([5, 4]);
  expect(twice.map(formatAsker)).toEqual(["“edit link”", "“ana”"]);
  expect(removeControlRequest(twice, ask(5)).map(({ peer }) => peer)).toEqual([4]);
  expect(filterDrivenRequests(twice, setDriver(new Map(), driver({ driver: 3 }), 3))).toEqual(
    twice,
  );
  expect(filterDrivenRequests(twice, setDriver(new Map(), driver({ driver: 4 }), 3))).toEqual([]);
});

test("WT30 WT76 larger letters change one's own size, take it where no one has it, and else the picture alone", () => {
  const target = (part: Partial<PtyDriver>, isForeign = false, mayType = true) =>
    zoomTarget(setDriver(new Map(), driver(part), 1).get(id), 1, { isForeign, mayType });
  const one = (peer: number): NonNullable<PtyDriver["size"]> => ({
    of: "one",
    people: [{ peer, called: "x" }],
  });
  expect(target({ driver: 1 })).toBe("own");
  expect(target({ driver: 1, size: one(1) }, true)).toBe("own");
  // It may be another's for a moment, until the bridge has followed.
  expect(target({ driver: 1, size: { of: "turns" } }, true)).toBe("own");
  expect(target({ driver: 1, size: { of: "pinned" } })).toBe("picture");
  expect(target({ driver: 2, size: one(2) })).toBe("picture");
  expect([target({}), target({ size: one(1) })]).toEqual(["claim", "claim"]);
  expect(target({ size: one(2) })).toBe("picture");
  expect([target({}, true), target({}, false, false)]).toEqual(["picture", "picture"]);
  expect(zoomTarget(undefined, 1, { isForeign: false, mayType: true })).toBe("claim");
  const follows = (part: Partial<PtyDriver>) =>
    followsUs(setDriver(new Map(), driver(part), 1).get(id));
  expect([{ driver: 1 }, { driver: 1, size: one(1) }].map(follows)).toEqual([true, true]);
  const not = [{}, { driver: 2 }, { driver: 1, size: { of: "pinned" } as const }];
  expect(not.map(follows)).toEqual([false, false, false]);
});
