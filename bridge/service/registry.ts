// Owns things by their names: the seed's `KeyedRegistry`, as far as a program needs it.

export class KeyedRegistry<Item> {
  readonly #items = new Map<string, Item>();
  readonly #kind: string;

  /** `kind` is what errors call an item. */
  constructor(kind = "item") {
    this.#kind = kind;
  }

  /** Replaces what had this name. */
  register(name: string, item: Item): void {
    this.#items.set(name, item);
  }

  unregister(name: string): void {
    this.#items.delete(name);
  }

  getItemByName(name: string): Item | undefined {
    return this.#items.get(name);
  }

  /** Throws when there is none. */
  requireItemByName(name: string): Item {
    const item = this.#items.get(name);
    if (item !== undefined) return item;
    const known = this.getAllItemNames().join(", ");
    throw new Error(`There is no ${this.#kind} "${name}". There is: ${known || "none"}.`);
  }

  getAllItemNames(): string[] {
    return [...this.#items.keys()];
  }

  getAllItemValues(): Item[] {
    return [...this.#items.values()];
  }

  entries(): [string, Item][] {
    return [...this.#items.entries()];
  }
}
