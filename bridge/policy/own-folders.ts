// Owns what an agent may never touch: the pairpty program and its folders. Nothing that an agent runs
// may extend its own rights. Reads no disk.

import { couldMatch, PROGRAM_OUTPUT, UNKNOWN_VALUE } from "./word-marks.ts";
import { getProgramName } from "./program-names.ts";
import {
  toAbsolute,
  decodePercents,
  isGuarded,
  findRelationTo,
  type PathRelation,
} from "./path-text.ts";

const PROGRAM = "pairpty";
const PACKAGE = /(?:^|[/@])pairpty(?:@[^/]*)?$/;
const OWN_FILES = /(?:^|\/)pairpty(?:@[^/]*)?\/(?:dist\/|bridge\/|package\.json$)/;
/** What separates a path from the rest of a word: `--file=/x`, `of=/x`, `@/x`, `host:/x`, `a:/x:/y`. */
const SEPARATORS = /[=:,@]/;
/** `-I/x`, `-C../x` */
const GLUED = /^-[A-Za-z]+?([/~.][\s\S]*)$/;
const HOME = /^(\/(?:home|Users)\/[^/]+|\/root)(?=\/|$)/;
/** Folders of `cd` to remember; a script that changes folder more often is not followed further. */
const MAX_BASES = 64;
/** A home, or an address. */
const LEADS_AWAY = /^~|^[a-z][a-z+.-]*:/i;
/** Folders inside a project that only programs write to. The project itself may lie below a hidden folder. */
const STARTS_GUARDED = /\/(?:\.git|\.husky|\.vscode|\.idea|\.ssh|node_modules)\//;
/** Stands for the folder of a script whose start is unknown. */
const UNKNOWN_FOLDER = "/-";

export function isOwnProgram(word: string): boolean {
  return getProgramName(word).replace(/@.*$/, "") === PROGRAM || PACKAGE.test(word);
}

/** Whether a package manager would install pairpty: its name, an alias, an address that ends in it. */
export function isOwnPackage(word: string): boolean {
  return /(?:^|[:/@#])pairpty(?:@[^/]*)?$/.test(word);
}

/** Whether a word among another program's arguments names pairpty; a folder of that name is just a folder. */
export function isOwnName(word: string): boolean {
  return /^(?:npm:|.*\/\.?bin\/)?pairpty(?:@[^/]*)?$/s.test(word);
}

/** Whether a file is a script of pairpty, for programs that run files (`node …/pairpty/dist/bridge/cli.js`). */
export function isOwnScript(word: string, cwd: string | undefined): boolean {
  if (isOwnProgram(word) || OWN_FILES.test(word)) return true;
  const place = toAbsolute(word, cwd);
  return place !== undefined && OWN_FILES.test(place);
}

interface OwnFoldersOptions {
  /** Folders of config, state and sockets: they hold secrets. */
  readonly folders: readonly string[];
  readonly program?: string | undefined;
  readonly cwd: string | undefined;
  readonly home: string | undefined;
}

export class OwnFolders {
  readonly #folders: readonly string[];
  readonly #program: string | undefined;
  readonly #all: readonly string[];
  /**
   * Folders where relative paths may start; `#basesNearOwn` has those from which `a/b` could lead
   * into pairpty's.
   */
  readonly #bases: string[] = [];
  readonly #basesNearOwn: string[] = [];
  readonly #origin: string;
  #isFolderUnknown = false;
  #hasLeftFolder = false;
  #isInProgramFolder = false;
  readonly home: string | undefined;

  constructor({ folders, program, cwd, home }: OwnFoldersOptions) {
    this.#folders = folders.map((folder) => toAbsolute(folder, "/") ?? folder);
    this.#program = program === undefined ? undefined : toAbsolute(program, "/");
    this.#all = this.#program === undefined ? this.#folders : [...this.#folders, this.#program];
    const guess = this.#folders.map((folder) => HOME.exec(folder)?.[1]).find(Boolean);
    this.home = home ?? guess;
    this.#origin = toAbsolute(cwd ?? UNKNOWN_FOLDER, "/") ?? UNKNOWN_FOLDER;
    this.#hasLeftFolder = STARTS_GUARDED.test(`${this.#origin}/`);
    if (cwd !== undefined) this.#addBase(cwd);
  }

  /** Whether the script has entered a folder of programs: `cd /bin; cp rm x`. */
  get isInProgramFolder(): boolean {
    return this.#isInProgramFolder;
  }

  /** Whether the script has entered an unknown folder. */
  get isFolderUnknown(): boolean {
    return this.#isFolderUnknown;
  }

  /** Whether the script has entered a guarded folder, or one outside of the folder where it started. */
  get hasLeftFolder(): boolean {
    return this.#hasLeftFolder;
  }

  /** Whether a path leads out of the folder where the script started; true for an unknown path. */
  leadsOut(path: string): boolean {
    if (LEADS_AWAY.test(path) || path.includes(UNKNOWN_VALUE) || path.includes(PROGRAM_OUTPUT))
      return true;
    const base = this.#origin;
    const place = toAbsolute(path, base) ?? "";
    return place !== base && !place.startsWith(base === "/" ? base : `${base}/`);
  }

  /** Records a change of folder: later relative paths may start there. Returns false if there are too many. */
  enter(folder: string): boolean {
    if (folder.includes(UNKNOWN_VALUE)) this.#isFolderUnknown = true;
    if (this.leadsOut(folder) || isGuarded(folder)) this.#hasLeftFolder = true;
    const last =
      folder
        .replace(/[/.]+$/, "")
        .split("/")
        .at(-1) ?? "";
    if (couldMatch(last, "bin") || couldMatch(last, "sbin")) this.#isInProgramFolder = true;
    if (this.#all.length === 0) return true;
    if (this.#bases.length >= MAX_BASES) return false;
    const places = this.#bases.map((base) => toAbsolute(this.#expandHome(folder), base));
    places.push(toAbsolute(this.#expandHome(folder), undefined));
    for (const place of new Set(places)) {
      if (place !== undefined && !this.#bases.includes(place)) this.#addBase(place);
    }
    return true;
  }

  #addBase(folder: string): void {
    this.#bases.push(folder);
    const isNear = this.#all.some((own) => findRelationTo(folder, own) !== "apart");
    if (isNear) this.#basesNearOwn.push(folder);
  }

  /** Whether a text contains the literal path of one of pairpty's folders. */
  isNamedIn(text: string): boolean {
    return this.#folders.some((folder) => folder.length > 1 && text.includes(folder));
  }

  /** Whether code names the folder of the program, and so could run it. */
  isProgramNamedIn(text: string): boolean {
    return this.#program !== undefined && text.includes(this.#program);
  }

  /** Whether a word leads into the folder of the program: not secret, but not to be run or changed. */
  isInProgram(word: string): boolean {
    const program = this.#program;
    if (program === undefined) return false;
    return this.#pathsIn(word).some((place) => findRelationTo(place, program) === "inside");
  }

  /** Returns how the paths in a word relate to pairpty's folders; the closest relation wins. */
  findRelation(word: string): PathRelation {
    if (this.#folders.length === 0) return "apart";
    let nearest: PathRelation = "apart";
    for (const place of this.#pathsIn(word)) {
      const relation = this.#findRelation(place);
      if (relation === "inside") return "inside";
      if (relation === "around" && !this.#isUsual(place)) nearest = "around";
    }
    return nearest;
  }

  /** Whether a folder that the word names contains one of pairpty's folders, even where that is usual. */
  containsOwn(word: string): boolean {
    return this.#pathsIn(word).some((place) => this.#findRelation(place) !== "apart");
  }

  #pathsIn(word: string): string[] {
    if (this.#all.length === 0) return [];
    const pieces = SEPARATORS.test(word) ? [word, ...word.split(SEPARATORS)] : [word];
    const glued = GLUED.exec(word)?.[1];
    if (glued !== undefined) pieces.push(glued);
    if (word.includes("%")) pieces.push(...pieces.map(decodePercents));
    return pieces.flatMap((piece) => this.#resolvePaths(this.#expandHome(piece)));
  }

  #findRelation(place: string): PathRelation {
    const relations = new Set(this.#folders.map((folder) => findRelationTo(place, folder)));
    if (relations.has("inside")) return "inside";
    return relations.has("around") ? "around" : "apart";
  }

  /** Whether a folder contains the working folder: an everyday argument (`..`, `~`, `/`). */
  #isUsual(place: string): boolean {
    const cwd = this.#bases[0];
    if (place === "/" || place === this.home) return true;
    return cwd !== undefined && findRelationTo(place, cwd) !== "apart";
  }

  #resolvePaths(path: string): string[] {
    if (path.startsWith("/")) {
      const bases = path.includes("cwd") ? [...this.#bases, "/"] : ["/"];
      return bases.map((base) => toAbsolute(path, base) ?? path);
    }
    if (path.startsWith("-") || path === "") return [];
    // Without `..`, a relative path leads into pairpty's folders only from a folder around or inside
    // them.
    const bases = path.includes("..") ? this.#bases : this.#basesNearOwn;
    return bases.map((base) => toAbsolute(path, base) ?? path);
  }

  #expandHome(path: string): string {
    if (this.home === undefined || !path.startsWith("~")) return path;
    return path.replace(/^~[^/]*/, this.home);
  }
}
