import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_CELLS, MAX_COLUMNS, MAX_ROWS } from "./limits.ts";
import { limitCells } from "./terminal.ts";

test("F20 a size keeps its columns, and its rows as far as there are cells for them", () => {
  const columns = fc.integer({ min: 1, max: MAX_COLUMNS });
  fc.assert(
    fc.property(columns, fc.integer({ min: 1, max: MAX_ROWS }), (cols, rows) => {
      const size = limitCells({ cols, rows });
      expect(size.cols).toBe(cols);
      expect(size.rows).toBeGreaterThan(0);
      expect(size.cols * size.rows).toBeLessThanOrEqual(MAX_CELLS);
      if (cols * rows <= MAX_CELLS) expect(size.rows).toBe(rows);
    }),
  );
});
