// Owns asking axe what on a page keeps somebody out.

import { AxeBuilder } from "@axe-core/playwright";
import type { Visitor } from "./browser.ts";

export async function faultsInBothLooks(visitor: Visitor): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await visitor.page.emulateMedia({ colorScheme });
    // Colours that still change are those of neither look.
    await visitor.page.waitForFunction(() =>
      document.getAnimations().every(({ effect }) => effect?.getTiming().iterations === Infinity),
    );
    for (const fault of await faultsOf(visitor)) faults.push(`${colorScheme}: ${fault}`);
  }
  return faults;
}

export async function faultsOf(visitor: Visitor): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page: visitor.page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}
