// A mark is found with the piece that completes it, wherever the pieces are cut.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MarkFinder } from "./mark-finder.ts";

const MARK = "<#READY#>";

test("B2 a mark is found in the piece that completes it, however output is cut", () => {
  const noise = fc.string({ unit: fc.constantFrom("<", "#", "R", "E", "x"), maxLength: 40 });
  fc.assert(
    fc.property(
      noise.filter((text) => !`${text}${MARK}`.slice(0, -1).includes(MARK)),
      noise,
      fc.infiniteStream(fc.integer({ min: 1, max: 12 })),
      fc.boolean(),
      (before, after, cuts, asBytes) => {
        const text = before + MARK + after;
        const complete = text.indexOf(MARK) + MARK.length;
        const finder = new MarkFinder(MARK);
        let foundAt: number | undefined;
        let begin = 0;
        while (begin < text.length && foundAt === undefined) {
          const end = Math.min(text.length, begin + (cuts.next().value ?? 1));
          const piece = text.slice(begin, end);
          if (finder.finds(asBytes ? Buffer.from(piece) : piece)) foundAt = end;
          else expect(end).toBeLessThan(complete);
          begin = end;
        }
        expect(foundAt).toBeGreaterThanOrEqual(complete);
      },
    ),
  );
});
