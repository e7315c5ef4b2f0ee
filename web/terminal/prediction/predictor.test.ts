import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CursorRow } from "./cursor-row.ts";
import { EchoLatency } from "./local-echo.ts";
import { Predictor } from "./predictor.ts";

const COLS = 24;
const FOREVER_MS = 10_000;

/** Minimal terminal with lines and a cursor. */
class Paper {
  #rows = [blank()];
  /** Columns of the last row. */
  readonly #hints = new Set<number>();
  #row = 0;
  #col = 0;
  isEdited = false;
  isPlain = true;

  write(text: string): void {
    for (const char of text) this.#take(char);
  }

  look(): CursorRow {
    const cells = [...(this.#rows[this.#row] ?? [])];
    const { isEdited, isPlain } = this;
    return {
      row: this.#row,
      col: this.#col,
      cells,
      hints: this.#hints,
      hasLineEditor: isEdited,
      isNormalScreen: isPlain,
    };
  }

  /** Prints a suggestion after the cursor, which does not move. */
  hint(text: string): void {
    const col = this.#col;
    this.write(text);
    for (let at = col; at < this.#col; at++) this.#hints.add(at);
    this.#col = col;
  }

  /** Returns the cursor's line with the prediction on top. */
  read(over: readonly { col: number; char: string }[] = []): string {
    const { cells } = this.look();
    const row = cells.map((cell) => cell || " ");
    for (const { col, char } of over) row[col] = char;
    return row.join("").trimEnd();
  }

  #take(char: string): void {
    if (char === "\r") this.#col = 0;
    else if (char === "\b") this.#col = Math.max(0, this.#col - 1);
    else if (char === "\n" || this.#col >= COLS) {
      this.#row += 1;
      this.#rows[this.#row] ??= blank();
      if (char !== "\n") this.#col = 0;
    }
    if (char < " ") return;
    const row = this.#rows[this.#row];
    if (row) row[this.#col] = char;
    this.#hints.delete(this.#col);
    this.#col += 1;
  }
}

function blank(): string[] {
  return Array.from({ length: COLS }, () => "");
}

/** A page with a slow connection to a program. */
class Far {
  readonly paper = new Paper();
  readonly predictor = new Predictor();
  readonly #answer: (key: string) => string;
  readonly #inFlight: string[] = [];
  now = 0;

  constructor(prompt: string, answer: (key: string) => string, isEdited = false) {
    this.paper.write(prompt);
    this.paper.isEdited = isEdited;
    this.#answer = answer;
  }

  type(...keys: string[]): void {
    for (const key of keys) {
      this.predictor.onSent(key, this.paper.look(), this.now);
      this.#inFlight.push(key);
    }
  }

  /** Delivers the answers to `count` keys; to all by default. */
  hear(count = this.#inFlight.length): void {
    const keys = this.#inFlight.splice(0, count);
    if (keys.length === 0) return;
    this.say(keys.map((key) => this.#answer(key)).join(""));
  }

  say(output: string): void {
    this.paper.write(output);
    this.predictor.onOutput(this.paper.look(), this.now);
  }

  wait(milliseconds: number): void {
    this.now += milliseconds;
    this.predictor.tick(this.now);
  }

  /** Returns what the user sees in the cursor's line. */
  get seen(): string {
    const { guess } = this.predictor;
    if (guess && guess.row !== this.paper.look().row) throw new Error("a guess on another line");
    return this.paper.read(guess?.cells);
  }

  get isGuessing(): boolean {
    return this.predictor.guess !== undefined;
  }
}

const PROMPT = "$ ";

function echo(key: string): string {
  if (key === "\r") return `\r\n${PROMPT}`;
  if (key === "\u007F") return "\b \b";
  return key;
}

const stars = (key: string): string => (key === "\r" ? "\r\nAgain: " : "*");
const silence = (key: string): string => (key === "\r" ? "\r\n" : "");

describe("guessing what a program will echo", () => {
  test("EC1 EC8 EC9 EC12 letters show at once behind the first that came back, and at a shell's prompt before", () => {
    const plain = new Far(PROMPT, echo);
    plain.type("e", "c");
    expect(plain.seen).toBe("$");
    plain.hear(1);
    expect(plain.seen).toBe("$ ec");
    plain.type("h", "o");
    expect(plain.seen).toBe("$ echo");
    expect(plain.predictor.guess?.cursor).toBe(6);
    plain.type("\u007F");
    expect(plain.seen).toBe("$ ech");
    plain.hear();
    expect(plain.isGuessing).toBe(false);
    expect(plain.seen).toBe("$ ech");

    const edited = new Far(PROMPT, echo, true);
    edited.type("l", "s");
    expect(edited.seen).toBe("$ ls");
    expect(edited.paper.read()).toBe("$");
  });

  test("EC2 EC13 a wrong guess is gone with the output that contradicts it, and one without an answer soon", () => {
    const far = new Far(PROMPT, (key) => key.toUpperCase(), true);
    far.type("a", "b");
    expect(far.seen).toBe("$ ab");
    far.hear(1);
    expect(far.isGuessing).toBe(false);
    expect(far.seen).toBe("$ A");
    // Later keys wait until an echo proves the line.
    far.type("c");
    far.hear(1);
    far.type("d");
    expect(far.isGuessing).toBe(false);

    const deaf = new Far(PROMPT, silence, true);
    deaf.type("x");
    expect(deaf.seen).toBe("$ x");
    deaf.wait(499);
    expect(deaf.isGuessing).toBe(true);
    deaf.wait(1);
    expect(deaf.isGuessing).toBe(false);
  });

  test("EC1 EC2 a line that is painted again is no contradiction, unless its cursor stays elsewhere", () => {
    const far = new Far(PROMPT, echo, true);
    far.type("e", "c", "h", "o");
    far.hear(2);
    // As fish and zsh's highlighting do it, in pieces.
    for (const piece of ["\r", "$ e", "c", "\b\b", "ec"]) {
      far.say(piece);
      expect(far.seen).toBe("$ echo");
    }
    far.hear();
    expect([far.seen, far.isGuessing]).toEqual(["$ echo", false]);
    far.say("\b\b\b\b");
    far.wait(FOREVER_MS);
    far.say("echo");
    far.type("!");
    expect(far.seen).toBe("$ echo!");
    far.say("\b");
    expect(far.seen).toBe("$ echo!");
    far.wait(16);
    expect([far.seen, far.isGuessing]).toEqual(["$ echo", false]);
  });

  test("EC11 what a shell suggests makes way for letters, and is no answer", () => {
    const far = new Far(PROMPT, echo, true);
    const suggest = (text: string) => {
      far.paper.hint(text);
      far.say("");
    };
    far.type("e", "c");
    far.hear(1);
    suggest("cho hello");
    expect([far.seen, far.predictor.guess?.cells]).toEqual([
      "$ echo hello",
      [{ col: 3, char: "c" }],
    ]);
    far.type("x");
    expect(far.seen).toBe("$ ecxo hello");
    far.hear();
    suggest("          ");
    expect([far.seen, far.isGuessing]).toEqual(["$ ecx", false]);
    // Text in another colour is not a suggestion and prevents predicting.
    far.say("ho\b\b");
    far.type("h");
    expect(far.isGuessing).toBe(false);
  });

  test("EC3 EC14 behind Enter and keys that no one can guess, letters wait for the answer", () => {
    const far = new Far(PROMPT, echo);
    far.type("l");
    far.hear();
    far.type("s", "\r", "p", "w");
    expect(far.seen).toBe("$ ls");
    far.hear(2);
    expect(far.isGuessing).toBe(false);
    far.hear(1);
    expect(far.seen).toBe("$ pw");
    for (const key of ["\u001B[D", "\t", "\u0001", "\u001B", "é", "\u001B[200~x\u001B[201~"]) {
      const one = new Far(PROMPT, echo, true);
      one.type("a", key, "b");
      expect(one.seen).toBe("$ a");
    }
  });

  test("EC14 a prompt that comes behind an Enter is trusted once all of them are answered", () => {
    const far = new Far(PROMPT, echo, true);
    far.type("\r", "\r", "s");
    far.now += 160;
    far.predictor.onPrompt(far.now);
    far.hear(1);
    expect(far.isGuessing).toBe(false);
    far.predictor.onPrompt(far.now);
    far.hear(1);
    expect(far.seen).toBe("$ s");
  });

  test("EC4 EC9 EC16 nothing that is typed at a password prompt is shown, whatever asks for it", () => {
    const some = fc.constantFrom("a", "b", "*", " ", "\u007F", "\r", "a pause");
    const keys = fc.array(some, { maxLength: 20 });
    const prompts = fc.constantFrom(
      "Password: ",
      "[sudo] password for me: ",
      "PIN> ",
      "Code: ",
      // Nothing in these says that they ask for a secret.
      "read> ",
      "vault> ",
      "> ",
    );
    fc.assert(
      fc.property(prompts, fc.boolean(), fc.boolean(), keys, fc.nat(3), (...args) => {
        const [prompt, isEdited, isSilent, typed, lag] = args;
        const far = new Far(prompt, isSilent ? silence : (key) => stars(key), isEdited);
        for (const [at, key] of typed.entries()) {
          if (key === "a pause") far.wait(600);
          else far.type(key);
          expect(far.isGuessing).toBe(false);
          if (at >= lag) far.hear(1);
          far.wait(50);
          expect(far.isGuessing).toBe(false);
        }
      }),
    );
  });

  test("EC10 at a prompt that may be anyone's, letters show at once when it has echoed before", () => {
    const say = (key: string) => (key === "\r" ? "\r\nmysql> " : key);
    const far = new Far("mysql> ", say, true);
    far.type("s", "e");
    expect(far.isGuessing).toBe(false);
    far.hear();
    far.type("l", "\r");
    far.predictor.onPrompt(far.now);
    far.hear();
    far.type("u");
    expect(far.seen).toBe("mysql> u");
    // A prompt with another name is not trusted, even if it looks the same.
    far.say("\r\nvault> ");
    far.wait(FOREVER_MS);
    far.type("h");
    expect(far.isGuessing).toBe(false);
  });

  test("EC15 EC4 what is typed behind an Enter that nothing answers is not shown at the old prompt", () => {
    for (const interrupt of ["a stall", "another screen"]) {
      const far = new Far(PROMPT, echo, true);
      far.type("s", "u", "\r");
      if (interrupt === "another screen") far.predictor.reset();
      far.wait(FOREVER_MS);
      far.type("h", "u");
      expect(far.isGuessing).toBe(false);
      far.wait(FOREVER_MS);
      far.type("n");
      expect(far.isGuessing).toBe(false);
    }
    // Two lines were sent, and only the first has its prompt.
    const twice = new Far(PROMPT, echo, true);
    twice.type("\r", "\r");
    twice.now += 160;
    twice.predictor.onPrompt(twice.now);
    twice.hear(1);
    twice.now += 100;
    twice.type("h");
    expect(twice.isGuessing).toBe(false);
  });

  test("EC14 lines that no prompt answers are forgotten once one has stood for long enough", () => {
    const far = new Far(PROMPT, (key) => (key === "\r" ? "\r\n" : key), true);
    far.type("\r", "\r", "\r");
    far.hear();
    far.wait(FOREVER_MS);
    far.predictor.onPrompt(far.now);
    far.say(PROMPT);
    far.wait(501);
    far.type("l");
    expect(far.seen).toBe("$ l");
  });

  test("EC16 a letter that is taken back at a silent prompt proves no echo", () => {
    const far = new Far("Password: ", silence);
    far.type("x");
    far.wait(50);
    far.type("\u007F");
    far.wait(900);
    far.type("h", "u");
    expect(far.isGuessing).toBe(false);
    far.hear();
    far.type("n");
    expect(far.isGuessing).toBe(false);
  });

  test("EC5 a program that echoes shows what a near one would, at any delay", () => {
    const keys = fc.array(fc.constantFrom("a", "b", " ", "\u007F", "hear", "wait"), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(keys, (steps) => {
        const far = new Far(PROMPT, echo, true);
        const near = new Paper();
        near.write(PROMPT);
        let length = 0;
        for (const step of steps) {
          if (step === "hear") far.hear(1);
          else if (step === "wait") far.now += 1;
          else if (step === "\u007F" ? length > 0 : length < COLS - 4) {
            far.type(step);
            near.write(echo(step));
            length += step === "\u007F" ? -1 : 1;
            expect(far.seen).toBe(near.read());
          }
        }
        far.hear();
        far.wait(FOREVER_MS);
        expect(far.isGuessing).toBe(false);
        expect(far.seen).toBe(near.read());
      }),
    );
  });

  test("EC5 EC17 whatever a program answers, only its own screen is left, and a guess has one line", () => {
    const key = fc.oneof(
      fc.constantFrom("a", "b", " ", "\u007F", "\r", "\u0003", "\u001B[A", "\t", "word ", "é"),
      fc.string({ maxLength: 30 }),
    );
    const output = fc.array(fc.constantFrom("a", "b", " ", "\b", "\r", "\n", "$ ", "word "));
    const step = fc.oneof(
      fc.record({ is: fc.constant("key"), key, answer: output }),
      fc.record({ is: fc.constant("say"), key, answer: output }),
      fc.record({
        is: fc.constantFrom("hear", "wait", "prompt", "full", "back"),
        key,
        answer: output,
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isEdited) => {
        const answers: string[] = [];
        const far = new Far(PROMPT, () => answers.shift() ?? "", isEdited);
        for (const { is, key: pressed, answer } of steps) {
          if (is === "key") answers.push(answer.join(""));
          if (is === "key") far.type(pressed);
          if (is === "say") far.say(answer.join(""));
          if (is === "hear") far.hear(1);
          if (is === "wait") far.wait(200);
          if (is === "prompt") far.predictor.onPrompt(far.now);
          if (is === "full" || is === "back") {
            far.paper.isPlain = is === "back";
            far.say("");
          }
          const { guess } = far.predictor;
          if (!guess) continue;
          expect(far.paper.isPlain).toBe(true);
          expect(guess.row).toBe(far.paper.look().row);
          for (const { col, char } of guess.cells) {
            expect(col).toBeLessThan(COLS);
            expect(char).toMatch(/^[ -~]$/);
          }
        }
        far.hear();
        far.wait(FOREVER_MS);
        far.wait(FOREVER_MS);
        expect(far.isGuessing).toBe(false);
        expect(far.seen).toBe(far.paper.read());
      }),
      { numRuns: 500 },
    );
  });

  test("EC6 guessing begins where answers take more than 30 ms and ends below 20", () => {
    const pace = new EchoLatency();
    expect(pace.isSlow).toBe(false);
    for (const ms of [25, 25, 25]) pace.addSample(ms);
    expect(pace.isSlow).toBe(false);
    for (const ms of [160, 170, 160]) pace.addSample(ms);
    expect(pace.isSlow).toBe(true);
    expect(pace.worstMs).toBe(170);
    for (let i = 0; i < 5; i++) pace.addSample(25);
    expect(pace.isSlow).toBe(true);
    for (let i = 0; i < 3; i++) pace.addSample(3);
    expect(pace.isSlow).toBe(false);
    // One slow program does not count as a slow network.
    pace.addSample(4_000);
    pace.addSample(60_000);
    expect(pace.isSlow).toBe(false);
  });

  test("EC18 who types on and on is as far away as before: only a key by itself is timed", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 900 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 20, maxLength: 60 }),
        (awayMs, gaps) => {
          const pace = new EchoLatency();
          let now = 0;
          const keys = gaps.map((gap) => (now += gap));
          const events = [
            ...keys.map((at) => ({ at, run: () => pace.onSent(at) })),
            ...keys.map((at) => ({ at: at + awayMs, run: () => pace.onAnswered(at + awayMs) })),
          ];
          for (const { at, run } of events.toSorted((a, b) => a.at - b.at)) {
            run();
            if (at > (keys[0] ?? 0) + awayMs) expect(pace.isSlow).toBe(true);
          }
          expect(pace.worstMs).toBe(awayMs);
        },
      ),
    );
  });
});
