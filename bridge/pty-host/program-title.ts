// Owns which title a terminal has: the one that the program in front set, else the one that its first
// program set, as a shell does with its prompt. A title goes with the program that set it, whether or not
// that program takes it back.

/** Process groups whose titles are kept: programs that were stopped, shells within shells. */
const MAX_GROUPS = 16;
/** The prompt that follows a program's end is printed at once; a look costs a read of /proc. */
const LOOK_AFTER_MS = 300;

/** The group that reads the terminal, and that of its first process; undefined if unknown. */
export interface FrontGroup {
  readonly front: number;
  readonly first: number;
}

interface ProgramTitleDeps {
  readonly findFront: () => FrontGroup | undefined;
  /** Fires when the title changed, except by `set`. */
  readonly changed: (title: string) => void;
}

export class ProgramTitle {
  readonly #deps: ProgramTitleDeps;
  readonly #titles = new Map<number, string>();
  #seen = 0;
  #current = "";
  /** Set by another program than the first: it may end without a word. */
  #isTemporary = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ProgramTitleDeps) {
    this.#deps = deps;
  }

  get current(): string {
    return this.#current;
  }

  /**
   * Takes the title that the output set last, and how often it set one so far. Hot path (every chunk of
   * output): usually returns early.
   */
  set(title: string, count: number): void {
    if (count === this.#seen) return this.#lookSoon();
    this.#seen = count;
    const groups = this.#deps.findFront();
    const owner = groups?.front ?? 0;
    this.#titles.delete(owner);
    this.#titles.set(owner, title);
    for (const oldest of this.#titles.keys()) {
      if (this.#titles.size <= MAX_GROUPS) break;
      if (oldest !== groups?.first) this.#titles.delete(oldest);
    }
    this.#current = title;
    this.#isTemporary = groups !== undefined && owner !== groups.first;
    return undefined;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #lookSoon(): void {
    if (!this.#isTemporary || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, LOOK_AFTER_MS);
  }

  #look(): void {
    const groups = this.#deps.findFront();
    if (groups === undefined) return;
    const title = this.#titles.get(groups.front) ?? this.#titles.get(groups.first) ?? "";
    if (title === this.#current) return;
    this.#current = title;
    this.#deps.changed(title);
  }
}
