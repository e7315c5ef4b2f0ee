import { expect, test } from "vitest";
import type { PanelAddress } from "./panel-targets.ts";
import { toPanelKey, PanelTargets } from "./panel-targets.ts";

const inSession = (panelId: string, scopeId: string): PanelAddress => ({
  panelId,
  scope: "session",
  scopeId,
});
const alone = (panelId: string, scopeId: string): PanelAddress => ({
  panelId,
  scope: "connection",
  scopeId,
});

test("Z2 a panel's key is its scope and its id", () => {
  expect(toPanelKey(inSession("p1", "s1"))).toBe("session:s1::p1");
  expect(toPanelKey(alone("p1", "7"))).toBe("connection:7::p1");
});

test("Z11 without a name the panel that was opened or written last is meant, within the session if one is named", () => {
  const targets = new PanelTargets();
  const [one, two] = [inSession("p1", "s1"), inSession("p2", "s2")];
  expect(targets.find({}, [])).toMatchObject({ ok: false, code: "terminal_not_found" });
  targets.markUsed(one);
  targets.markUsed(two);
  expect(targets.find({}, [one, two])).toEqual({ ok: true, place: two });
  expect(targets.find({ sessionId: "s1" }, [one, two])).toEqual({ ok: true, place: one });
  targets.markUsed(one);
  expect(targets.find({}, [one, two])).toEqual({ ok: true, place: one });
  targets.remove(one);
  expect(targets.find({}, [two])).toEqual({ ok: true, place: two });
  expect(targets.find({ sessionId: "s3" }, [two])).toMatchObject({ code: "terminal_not_found" });
});

test("Z49 a named panel must run, and be in one scope unless its session is named", () => {
  const targets = new PanelTargets();
  const [shared, own] = [inSession("p", "s"), alone("p", "4")];
  expect(targets.find({ panelId: "p" }, [])).toMatchObject({ code: "terminal_not_ready" });
  expect(targets.find({ panelId: "p" }, [own])).toEqual({ ok: true, place: own });
  expect(targets.find({ panelId: "p" }, [shared, own])).toMatchObject({
    code: "invalid_arguments",
    error: expect.stringContaining("2 scopes"),
  });
  const named = targets.find({ panelId: "p", sessionId: "s" }, [shared, own]);
  expect(named).toEqual({ ok: true, place: shared });
});
