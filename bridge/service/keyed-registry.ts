// Owns a registry of items by name.

export class KeyedRegistry<Item> {
  readonly #items = new Map<string, Item>();
  readonly #kind: string;

  /** `kind` names an item in errors. */
  constructor(kind = "item") {
    this.#kind = kind;
  }

  /** Registers an item, replacing one of the same name. */
  register(name: string, item: Item): void {
    this.#items.set(name, item);
  }

  unregister(name: string): void {
    this.#items.delete(name);
  }

  getItemByName(name: string): Item | undefined {
    return this.#items.get(name);
  }

  /** Returns the item. Throws if there is none. */
  requireItemByName(name: string): Item {
    const item = this.#items.get(name);
    if (item !== undefined) return item;
    const known = this.getAllItemNames().join(", ");
    throw new Error(`There is no ${this.#kind} "${name}". Available: ${known || "none"}.`);
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
