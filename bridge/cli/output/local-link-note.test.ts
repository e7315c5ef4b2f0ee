import { expect, test } from "vitest";
import { formatLocalLinkNote } from "./local-link-note.ts";

test("C120 a link of this machine's own relay says that no one elsewhere can open it", () => {
  for (const link of ["http://127.0.0.1:8787/w/x#t", "http://localhost:1/w/x#t"])
    expect(formatLocalLinkNote(link)).toContain("`pairpty --tunnel`");
  expect(formatLocalLinkNote("https://relay.example.com/w/x#t")).toBeUndefined();
});
