import { expect, test } from "vitest";
import { toUnavailable } from "../../isolation/find-tool.ts";
import {
  formatConnectNote,
  formatRefusedNote,
  formatScreenNote,
  formatLocalLinkNote,
} from "./link-notes.ts";

test("C120 a link of this machine's own relay says that no one elsewhere can open it", () => {
  for (const link of ["http://127.0.0.1:8787/w/x#t", "http://localhost:1/w/x#t"])
    expect(formatLocalLinkNote(link)).toContain("`pairpty --tunnel`");
  expect(formatLocalLinkNote("https://relay.example.com/w/x#t")).toBeUndefined();
});

const WORKS = { ok: true, value: undefined } as const;
const NOT = toUnavailable("bubblewrap is not installed", "Install it");

test("I17 a sandbox is offered where it works, with what it costs; where it does not, a sentence says why and what to do", () => {
  expect(formatScreenNote("none", WORKS)).toContain(
    "--agent-isolation sandbox limits them to this folder",
  );
  expect(formatScreenNote("none", NOT)).toBe(
    "agents' commands run with your permissions. No sandbox here: bubblewrap is not installed. Install it.",
  );
  expect(formatScreenNote("container", NOT)).toBe("agents' commands run in a container");
  expect(formatConnectNote(undefined, "none", WORKS)).toContain(
    "--isolation sandbox puts them in a",
  );
  expect(formatConnectNote("none", "none", NOT)).toBe(
    "Its commands run with your permissions. No sandbox here: bubblewrap is not installed. Install it.",
  );
  expect(formatConnectNote("none", "sandbox", WORKS)).toBe("Its commands run in a sandbox.");
  expect(formatRefusedNote("no image.")).toBe("pairpty will refuse its commands: no image.");
});
