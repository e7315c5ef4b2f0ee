import fc from "fast-check";
import { expect, test } from "vitest";
import { isSurelyComplete, leavesNothingOpen } from "../policy/command-form.ts";
import type { InputReader } from "./shell-programs.ts";
import { parseKeys } from "./named-keys.ts";
import type { LineGrammar, PendingLine, TypedResult } from "./pending-line.ts";
import { getInitialLine, resolvePendingLine, typeKeys } from "./pending-line.ts";
import { MAX_SENT_LINES, MAX_TYPED_CHARS } from "./line-editor.ts";
import { runs } from "../../test/support/property-runs.ts";

const GRAMMAR: LineGrammar = { isSurelyComplete, leavesNothingOpen };
const EMPTY = getInitialLine(0);

const at = (reader: InputReader = "prompt", group = 7, generation = 0) => ({
  reader,
  group,
  generation,
});

const typing = (stdin: string, before: PendingLine = EMPTY, context = at()) =>
  typeKeys(before, parseKeys(stdin), context, GRAMMAR);

const texts = ({ sent }: TypedResult) =>
  sent.map((line) => (line.kind === "known" ? line.text : `? ${line.typed}`));

test("Y22 lines at a prompt are whole ones, however many calls type them", () => {
  expect(typing("ls\n").sent).toEqual([{ kind: "known", text: "ls" }]);
  expect(typing("ls\n").next).toMatchObject({ kind: "known", text: "" });
  const half = typing("rm -rf");
  expect(half.sent).toEqual([]);
  expect(half.next).toMatchObject({ kind: "known", text: "rm -rf", group: 7 });
  expect(texts(typing(" /tmp/x\r", half.next))).toEqual(["rm -rf /tmp/x"]);
  expect(texts(typing("cd a<Enter>ls<C-j>"))).toEqual(["cd a", "ls"]);
});

test("Y27 Y99 pending text holds for one process group and one generation only", () => {
  const { next } = typing("echo x");
  expect(resolvePendingLine(next, at("prompt", 7, 0))).toBe(next);
  expect(resolvePendingLine(next, at("prompt", 8, 0))).toMatchObject({
    kind: "unknown",
    typed: "echo x",
  });
  const after = resolvePendingLine(next, at("prompt", 7, 1));
  expect(after).toMatchObject({ kind: "unknown", hasForeignText: true, isEnterSure: false });
  // An empty line is empty for every program, unless another caller has typed.
  expect(resolvePendingLine(EMPTY, at("prompt", 9, 0))).toBe(EMPTY);
  expect(resolvePendingLine(EMPTY, at("prompt", 7, 3))).toMatchObject({ kind: "unknown" });
});

test("Y99 a terminal that had input before this bridge knew it is not known", () => {
  const line = getInitialLine(1);
  expect(texts(typing("ls\n", line, at("prompt", 7, 1)))).toEqual(["? ls"]);
  const enter = typing("\n", line, at("prompt", 7, 1));
  expect(enter.sent).toMatchObject([{ kind: "unknown", why: "foreign" }]);
});

test("Y101 Y102 keys that drop, stop or edit a line make it unknown, with what was typed", () => {
  const edits = "<C-c> <C-z> <C-u> <C-w> <C-a> <C-k> <BS> <C-h> <C-\\> <Left> <Home> <Del>";
  for (const key of edits.split(" ")) {
    const { next } = typing(`echo x${key}`);
    expect(next, key).toMatchObject({ kind: "unknown", typed: "echo x", isEnterSure: true });
    const sent = typing("rm -rf d\n", next);
    expect(texts(sent), key).toEqual(["? echo xrm -rf d"]);
    expect(sent.next, key).toMatchObject({ kind: "known", text: "" });
  }
});

test("Y27 with nothing pending, an interrupt and the like change nothing", () => {
  for (const key of ["<C-c>", "<C-z>", "<C-u>", "<BS>", "<C-d>", "<C-l>", "<C-\\>"]) {
    const { sent, next } = typing(key);
    expect(sent, key).toEqual([]);
    expect(next, key).toEqual(EMPTY);
  }
});

test("Y101 Y102 where an Enter may be swallowed the line stays unknown until an interrupt at the prompt", () => {
  const modes = ["<Tab>", "<C-r>", "<C-v>", "<C-q>", "<C-s>", "<C-o>", "\0"];
  // Lines of the history and earlier text may open a quote.
  modes.push("<Up>", "<Down>", "<C-p>", "<C-n>", "<C-y>");
  for (const key of modes) {
    const { next } = typing(`ls x${key}`);
    expect(next, key).toMatchObject({ kind: "unknown", isEnterSure: false });
    const later = typing("\n", next);
    expect(later.sent, key).toMatchObject([{ kind: "unknown" }]);
    expect(later.next, key).toMatchObject({ kind: "unknown" });
    // Other programs may read the interrupt as a key.
    const { next: same } = typing("<C-c>", later.next, at("behind"));
    expect({ ...same, shown: "" }, key).toEqual({ ...later.next, shown: "" });
    const cleared = typing("<C-c><C-c>", later.next);
    expect(cleared.next, key).toMatchObject({ kind: "known", text: "" });
  }
});

test("Y27 after the Enter of an unknown line the rest of the call is typed ahead", () => {
  // It looks like `echo ahead -c5`, and runs `head -c5`, which reads what follows.
  const { next } = typing("echo a<C-u>head -c5\necho ./x");
  expect(next).toMatchObject({ kind: "unknown" });
  expect(texts(typing("\n", next))).toEqual(["? echo ./x"]);
});

test("Y27 interrupts behind the Enter of an unknown line may be read by what it started", () => {
  // The recalled line may be `head -c5`, which takes the interrupts and a part of the text.
  const { next } = typing("\n<C-c><C-c>echo ./x", typing("ls<Up>").next);
  expect(texts(typing("\n", next))).toEqual(["? ls\necho ./x"]);
});

test("Q97 a question shows the keys that change the line", () => {
  const { shown, next } = typing("m -rf x<Home>r\nls <C-u>\x17d");
  expect(shown).toBe("m -rf x<Home>r");
  expect(typing("<Enter>", next).shown).toBe("\nls <C-u>^Wd");
});

test("Y22 keys that may run something by themselves count as an Enter at a shell", () => {
  for (const key of ["<Esc>", "<M-.>", "<M-#>", "<C-x>", "<F5>", "\x1b[200~ls\n\x1b[201~"]) {
    expect(typing(`rm x${key}`).sent[0], key).toMatchObject({ kind: "unknown", typed: "rm x" });
  }
  // An editor in the foreground reads them all the time.
  expect(typing("<Esc>", EMPTY, at("behind")).sent).toEqual([]);
  expect(texts(typing("rm x<C-d><C-d>"))).toEqual(["? rm x", "? rm x"]);
  expect(typing("<C-d>", typing("print('x')\n", EMPTY, at("behind")).next).sent).toEqual([]);
});

test("Y103 completion is judged like an Enter: shells expand the line, and run programs to complete it", () => {
  const lines = [
    "echo $(touch x)",
    "echo `touch x`",
    "echo =(touch x)",
    "make ",
    "./x --",
    "echo 'a",
  ];
  for (const line of lines) {
    expect(typing(`${line}<Tab>`).sent, line).toEqual([{ kind: "known", text: line }]);
    expect(typing("<C-i>", typing(line).next).sent, line).toEqual([{ kind: "known", text: line }]);
  }
  // The text in the line is also shown with its Enter, though completion may have changed it.
  const { next } = typing("ls x<Tab>");
  expect(texts(typing("y\n", next))).toEqual(["? ls xy"]);
  expect(typing("y\n", next).shown).toBe("\nls x<Tab>y");
  // A single name is completed from folders and lists.
  for (const line of ["", "gi", "./scri", "  /usr/bin/py"]) {
    expect(typing(`${line}<Tab><Tab>`).sent, line).toEqual([]);
    expect(typing(`${line}<Tab>`).next, line).toMatchObject({
      kind: "unknown",
      isEnterSure: false,
    });
  }
  // The content of a line from the history, or after a completion, is unknown.
  expect(typing("<Up><Tab>").sent).toMatchObject([{ kind: "unknown" }]);
  expect(typing("gi<Tab><Up><Tab>").sent).toMatchObject([{ kind: "unknown" }]);
  expect(typing("<Tab>", typing("gi<Tab>").next).sent).toMatchObject([{ kind: "unknown" }]);
  expect(typing("echo $(x)<Tab>", EMPTY, at("behind")).sent).toEqual([]);
  // Each costs no more than a line.
  const many = typing("a b\t".repeat(10_000));
  expect(many.sent).toHaveLength(MAX_SENT_LINES);
  expect(many.shown.length).toBeLessThan(4 * MAX_SENT_LINES * MAX_TYPED_CHARS);
});

test("Y28 Y104 Y105 Y106 what another program reads, and what is typed ahead, is not known to be a whole line", () => {
  for (const reader of ["behind", "busy", "elsewhere"] as const) {
    expect(texts(typing("y\n", EMPTY, at(reader))), reader).toEqual(["? y"]);
    expect(typing("y\n", EMPTY, at(reader)).next, reader).toMatchObject({ kind: "known" });
    expect(texts(typing("\n", EMPTY, at(reader))), reader).toEqual([""]);
  }
  const left = typing("q", EMPTY, at("behind"));
  expect(texts(typing("ls\n", left.next, at("prompt", 8)))).toEqual(["? qls"]);
  expect(typing("head -c5\necho rm x\n").sent).toEqual([
    { kind: "known", text: "head -c5" },
    { kind: "unknown", typed: "echo rm x", why: "ahead" },
  ]);
});

test("Y101 what a line leaves open goes on in the next one", () => {
  for (const line of ["echo '", "cat <<EOF", "ls \\", "if true; then", "ls |", "(ls", "ls #'"]) {
    const { next } = typing(`${line}\n`);
    expect(next, line).toMatchObject({ kind: "unknown", typed: `${line}\n` });
    expect(texts(typing("ls '; rm x; '\n", next))[0], line).toBe(`? ${line}\nls '; rm x; '`);
    expect(typing("<C-c>", next).next, line).toMatchObject({ kind: "known", text: "" });
  }
  for (const line of ["echo 'a b'", 'git commit -m "x"', "a; b", "for i in 1; do ls; done"]) {
    expect(typing(`${line}\n`).next, line).toMatchObject({ kind: "known", text: "" });
  }
});

test("Y27 Y101 history, what reads or waits inside the shell, and other characters are not known", () => {
  expect(typing("ls !!\n").sent).toMatchObject([{ kind: "unknown" }]);
  expect(typing("^a^b\n").sent).toMatchObject([{ kind: "unknown" }]);
  expect(typing("echo hi! there\n").sent).toMatchObject([{ kind: "known" }]);
  expect(typing("read -n5 x\n").next).toMatchObject({ kind: "unknown" });
  const once = typing("ls\n", typing("sleep 5 & wait; head -c5\n").next);
  expect(texts(once)).toEqual(["? sleep 5 & wait; head -c5\nls"]);
  expect(once.next).toMatchObject({ kind: "known" });
  // Without UTF-8, bash reads these bytes as Meta keys.
  expect(typing("echo \u0088x\n").sent).toMatchObject([{ kind: "unknown" }]);
  expect(typing("echo \u00E9\n").sent).toMatchObject([{ kind: "unknown" }]);
});

test("Y27 what is kept of a line is bounded", () => {
  const { next } = typing("x".repeat(3 * MAX_TYPED_CHARS));
  expect(next).toMatchObject({ kind: "unknown" });
  expect(next.kind === "unknown" && next.typed.length).toBeLessThanOrEqual(2 * MAX_TYPED_CHARS);
  // People see all of it.
  const many = typing("'\n".repeat(30_000), EMPTY, at("behind"));
  expect(many).toMatchObject({ isCut: true, text: "'\n".repeat(30_000).slice(0, -1) });
  expect(many.sent).toHaveLength(MAX_SENT_LINES);
});

test("Y22 however it is split over calls at a prompt, the same lines are sent, or less of them is known", () => {
  const keys = fc.array(fc.constantFrom("a", "b c", "\n", "<Enter>", "<C-c>", "<BS>", "<Up>"));
  fc.assert(
    fc.property(keys, fc.array(fc.nat(3), { minLength: 1 }), (typed, sizes) => {
      const known = (stdin: string) => stdin.replaceAll(/<.*?>/g, "");
      const whole = texts(typing(typed.join(""))).map((line) => line.replace("? ", ""));
      const sent: string[] = [];
      let pending: PendingLine = EMPTY;
      for (let from = 0, turn = 0; from < typed.length; turn++) {
        const size = 1 + (sizes[turn % sizes.length] ?? 0);
        const result = typing(typed.slice(from, from + size).join(""), pending);
        sent.push(...texts(result).map((line) => line.replace("? ", "")));
        pending = result.next;
        from += size;
      }
      expect(sent).toHaveLength(whole.length);
      // One call cannot track an interrupt after a line that may still run, and treats more as
      // pending.
      for (const [index, line] of sent.entries()) {
        expect(known(whole[index] ?? "").endsWith(known(line)), `${index} of ${sent.join()}`).toBe(
          true,
        );
      }
    }),
  );
});

/** A terminal with a shell that edits lines, and two programs that it may start. */
class ModelTerminal {
  readonly executed: string[] = [];
  readonly #history: string[] = [];
  #line = "";
  #removed = "";
  /** Earlier lines that wait for the end of a quote. */
  #open = "";
  /**
   * `take`: reads a number of keys and exits. `lines`: reads whole lines, as the terminal submits
   * them.
   */
  #program: { kind: "take"; left: number } | { kind: "lines"; partial: string } | undefined;

  get reader(): InputReader {
    return this.#program === undefined ? "prompt" : "behind";
  }

  press(char: string): void {
    if (this.#program === undefined) this.#edit(char);
    else if (this.#program.kind === "take") {
      this.#program.left -= 1;
      if (this.#program.left === 0) this.#program = undefined;
    } else if ("\x03\x1a".includes(char)) this.#program = undefined;
    else if (char === "\x04" && this.#program.partial === "") this.#program = undefined;
    else if (char === "\r") this.#program.partial = "";
    else this.#program.partial += char;
  }

  /** Handles cursor up. */
  up(): void {
    if (this.#program === undefined) this.#line = this.#history.at(-1) ?? this.#line;
    else for (const char of "\x1b[A") this.press(char);
  }

  #edit(char: string): void {
    if (char === "\r") this.#enter();
    else if (char === "\x03") [this.#line, this.#open] = ["", ""];
    else if (char === "\x15") [this.#removed, this.#line] = [this.#line, ""];
    else if (char === "\x19") this.#line += this.#removed;
    else if (char === "\x7f") this.#line = this.#line.slice(0, -1);
    else if (char === "\t") this.#line += "completed";
    else if (char >= " ") this.#line += char;
  }

  #enter(): void {
    const text = this.#open + this.#line;
    this.#history.push(this.#line);
    this.#line = "";
    this.#open = text.split("'").length % 2 === 0 ? `${text}\n` : "";
    if (this.#open !== "") return;
    this.executed.push(text);
    const taken = /^take(\d)$/.exec(text)?.[1];
    if (taken !== undefined) this.#program = { kind: "take", left: Number(taken) };
    if (text === "lines") this.#program = { kind: "lines", partial: "" };
  }
}

test("Y27 Y28 a shell runs nothing but what was sent as known, or what was asked about", () => {
  const words = ["echo a", "x", "'", " ", "take3", "take9", "lines"];
  const keys = ["\r", "\r", "\r", "\x03", "\x15", "\x7f", "\x1a", "\x04", "\t", "\x19", "<Up>"];
  const call = fc.record({
    isPerson: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    keys: fc.array(fc.constantFrom(...words, ...keys), { maxLength: 6 }),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 8 }), (calls) => {
      const model = new ModelTerminal();
      let line = EMPTY;
      let generation = 0;
      for (const { isPerson, keys: pressed } of calls) {
        const stdin = pressed.join("");
        const group = model.reader === "prompt" ? 1 : 2;
        const result = typing(stdin, line, at(model.reader, group, generation));
        const from = model.executed.length;
        for (const key of pressed) {
          if (key === "<Up>") model.up();
          else for (const char of key) model.press(char);
        }
        generation += 1;
        if (isPerson) continue;
        line = { ...result.next, generation };
        if (result.sent.some(({ kind }) => kind === "unknown")) continue;
        const known = new Set(texts(result));
        for (const ran of model.executed.slice(from)) {
          expect(ran === "" || known.has(ran), `${JSON.stringify(ran)} ran unasked`).toBe(true);
        }
      }
    }),
    runs(20_000),
  );
});
