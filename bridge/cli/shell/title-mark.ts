// Owns the mark in a window's title while the terminal in it is recorded: the one place that is in
// sight all the time and that no program draws in. Bytes in, bytes out.

const MARK = bytesOf("● recorded");
const BETWEEN = bytesOf(" · ");

const ESC = "\u001B";
const BEL = "\u0007";
/** A title that a program sets; one that it keeps for later, and gives back when it ends. */
const TITLES = new RegExp(
  `${ESC}\\][02];([^${BEL}${ESC}]*)(?:${BEL}|${ESC}\\\\)|${ESC}\\[2([23])(?:;\\d*)*t`,
  "g",
);
const KEEP = `${ESC}[22;2t`;
const GIVE_BACK = `${ESC}[23;2t`;

/** As many as xterm keeps. */
const MOST_KEPT = 10;

/** Its texts have a character for each byte. */
export class TitleMark {
  #isOn = false;
  /** Whether the window keeps the title that it had before us. */
  #isKept = false;
  #title = "";
  #kept: string[] = [];

  /** What to write to the window. */
  turn(on: boolean): string {
    if (on === this.#isOn) return "";
    this.#isOn = on;
    if (!on && this.#title === "") return this.end();
    const keep = this.#isKept ? "" : KEEP;
    this.#isKept = true;
    return keep + this.#line();
  }

  /** The window as it was; without a title, where it keeps none. */
  end(): string {
    if (!this.#isKept) return "";
    this.#isKept = false;
    return `${ESC}]2;${BEL}${GIVE_BACK}`;
  }

  /** A title that is cut over two chunks goes unmarked: whoever strips queries keeps it whole. */
  push(chunk: Buffer): Buffer {
    if (!chunk.includes(ESC)) return chunk;
    let isChanged = false;
    const text = chunk.toString("latin1").replaceAll(TITLES, (all, title, way) => {
      if (way === "2") {
        this.#kept = [...this.#kept, this.#title].slice(-MOST_KEPT);
        return all;
      }
      this.#title = way === "3" ? (this.#kept.pop() ?? "") : String(title);
      // What is given back may have been kept while the mark was in it, or before.
      if (!this.#isOn && !(this.#isKept && way === "3")) return all;
      isChanged = true;
      return (way === "3" ? all : "") + this.#line();
    });
    return isChanged ? Buffer.from(text, "latin1") : chunk;
  }

  #line(): string {
    const parts = [this.#isOn ? MARK : "", this.#title].filter((part) => part !== "");
    return `${ESC}]2;${parts.join(BETWEEN)}${BEL}`;
  }
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}
