// Owns what an agent may never touch: the pairpty program and its folders. Nothing an agent runs may
// widen its own power (design, "Safety"). Reads no disk.

import { programName } from "./names.ts";
import { absolute, relationTo, type Relation } from "./paths.ts";

const PROGRAM = "pairpty";
const PACKAGE = /(?:^|[/@])pairpty(?:@[^/]*)?$/;
const OUR_FILES = /(?:^|\/)pairpty(?:@[^/]*)?\/(?:dist\/|bridge\/|package\.json$)/;
/** Where a path hides in a longer word: `--file=/x`, `of=/x`, `@/x`, `host:/x`, `a:/x:/y`. */
const SEPARATORS = /[=:,@]/;
const HOME = /^(\/(?:home|Users)\/[^/]+|\/root)(?=\/|$)/;
/** `cd` targets to remember; a script that changes folder more often is not followed further. */
const MAX_BASES = 8;

export function isOwnProgram(word: string): boolean {
  return programName(word).replace(/@.*$/, "") === PROGRAM || PACKAGE.test(word);
}

/** A script file of ours, for programs that run files (`node …/pairpty/dist/bridge/cli.js`). */
export function isOwnScript(word: string, cwd: string | undefined): boolean {
  if (isOwnProgram(word) || OUR_FILES.test(word)) return true;
  const place = absolute(word, cwd);
  return place !== undefined && OUR_FILES.test(place);
}

export class OwnFolders {
  readonly #folders: readonly string[];
  /** Where relative paths may start, and those of them from where `a/b` could be ours. */
  readonly #bases: string[] = [];
  readonly #near: string[] = [];
  readonly home: string | undefined;

  constructor(folders: readonly string[], cwd: string | undefined, home: string | undefined) {
    this.#folders = folders.map((folder) => absolute(folder, "/") ?? folder);
    const guess = this.#folders.map((folder) => HOME.exec(folder)?.[1]).find(Boolean);
    this.home = home ?? guess;
    if (cwd !== undefined) this.#start(cwd);
  }

  /** The script has changed folder: later relative paths may start there. */
  enter(folder: string): void {
    if (this.#folders.length === 0 || this.#bases.length >= MAX_BASES) return;
    const places = this.#bases.map((base) => absolute(this.#withHome(folder), base));
    places.push(absolute(this.#withHome(folder), undefined));
    for (const place of new Set(places)) {
      if (place !== undefined && !this.#bases.includes(place)) this.#start(place);
    }
  }

  #start(folder: string): void {
    this.#bases.push(folder);
    if (this.#relationOf(folder) !== "apart") this.#near.push(folder);
  }

  /** One of our folders by its literal path, anywhere in a text. */
  isIn(text: string): boolean {
    return this.#folders.some((folder) => folder.length > 1 && text.includes(folder));
  }

  /** How near any path in the word comes to one of our folders. */
  relation(word: string): Relation {
    if (this.#folders.length === 0) return "apart";
    let nearest: Relation = "apart";
    const pieces = SEPARATORS.test(word) ? [word, ...word.split(SEPARATORS)] : [word];
    for (const piece of pieces) {
      for (const place of this.#places(this.#withHome(piece))) {
        const relation = this.#relationOf(place);
        if (relation === "inside") return "inside";
        if (relation === "around" && !this.#isUsual(place)) nearest = "around";
      }
    }
    return nearest;
  }

  #relationOf(place: string): Relation {
    const relations = new Set(this.#folders.map((folder) => relationTo(place, folder)));
    if (relations.has("inside")) return "inside";
    return relations.has("around") ? "around" : "apart";
  }

  /** Folders around the working folder are everyday arguments (`..`, `~`, `/`). */
  #isUsual(place: string): boolean {
    const cwd = this.#bases[0];
    if (place === "/" || place === this.home) return true;
    return cwd !== undefined && relationTo(place, cwd) !== "apart";
  }

  #places(path: string): string[] {
    if (path.startsWith("/")) return [absolute(path, "/") ?? path];
    if (path.startsWith("-") || path === "") return [];
    // Without `..`, a path leads into our folders only from a folder around or inside them.
    const bases = path.includes("..") ? this.#bases : this.#near;
    return bases.map((base) => absolute(path, base) ?? path);
  }

  #withHome(path: string): string {
    if (this.home === undefined || !path.startsWith("~")) return path;
    return path.replace(/^~[^/]*/, this.home);
  }
}
