import { expect, test } from "vitest";
import { isDevelopersOwn } from "./environment.ts";
import { Place } from "./product.ts";

test("X6 tests take over no variable that changes what pairpty does, but for those said to tests", async () => {
  const own = [
    "PAIRPTY_X",
    "PAIRPTY_TERMINAL",
    "PAIRPTY_RELAY",
    "RELAY_KEY",
    "CI",
    "NO_COLOR",
  ].concat("NODE_EXTRA_CA_CERTS");
  expect(own.filter(isDevelopersOwn)).toEqual(own);
  const kept = ["PAIRPTY_REQUIRE", "PATH", "HOME", "LANG"];
  expect(kept.filter(isDevelopersOwn)).toEqual([]);
  expect(Object.keys(process.env).filter(isDevelopersOwn)).toEqual([]);
  await using place = new Place({ PAIRPTY_PORT: "1" });
  expect(Object.keys(place.environment).filter(isDevelopersOwn)).toEqual(["PAIRPTY_PORT"]);
});
