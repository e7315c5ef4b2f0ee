// Owns asking axe what on a page keeps somebody out.

import { AxeBuilder } from "@axe-core/playwright";
import type { Visitor } from "./browser.ts";

export async function faultsOf(visitor: Visitor): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page: visitor.page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}
