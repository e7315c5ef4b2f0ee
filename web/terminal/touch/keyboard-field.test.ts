import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { FieldEvent } from "./keyboard-field.ts";
import { toEdits, EMPTY_FIELD, applyFieldEvent } from "./keyboard-field.ts";

/** A text field with a keyboard on one side and a program that edits a line on the other. */
class Phone {
  text = "";
  line = "";
  #field = EMPTY_FIELD;
  readonly #live: boolean;

  constructor(live: boolean) {
    this.#live = live;
  }

  #say(event: FieldEvent): void {
    const { field, send } = applyFieldEvent(this.#field, event, this.#live);
    this.#field = field;
    this.#get(send);
  }

  #get(data: string): void {
    for (const sign of data)
      this.line =
        sign === "\u007F" ? Array.from(this.line).slice(0, -1).join("") : this.line + sign;
  }

  #change(how: string, data: string | null, text: string): void {
    this.#say({ kind: "before", text: this.text });
    this.text = text;
    this.#say({ kind: "input", how, data, text });
  }

  insert(text: string): void {
    this.#change("insertText", text, this.text + text);
  }

  /** Presses a key that xterm sends itself, and may keep from the field. */
  key(sign: string, shown: boolean): void {
    this.#say({ kind: "key", key: sign });
    this.#get(sign);
    if (shown) this.insert(sign);
    else this.text += sign;
    this.#say({ kind: "key", key: undefined });
  }

  backspace(): void {
    if (this.text === "") return this.#say({ kind: "delete" });
    this.#change("deleteContentBackward", null, Array.from(this.text).slice(0, -1).join(""));
  }

  /** Replaces the last word, as autocorrect does. */
  correct(word: string): void {
    this.#change("insertReplacementText", word, this.text.replace(/\S*$/, "") + word);
  }

  compose(steps: readonly string[]): void {
    const before = this.text;
    this.#say({ kind: "before", text: before });
    this.#say({ kind: "compose" });
    for (const step of steps) {
      this.#change("insertCompositionText", step, before + step);
      if (this.#live && /^[ -~]*$/.test(step)) expect(this.line).toBe(this.text);
      // An unfinished composition is not sent.
      else expect(this.line).toBe(before);
    }
    this.#say({ kind: "composed", text: this.text });
  }

  /** Empties the field after a line, as xterm does. */
  enter(): void {
    this.#say({ kind: "key", key: "Enter" });
    this.#say({ kind: "key", key: undefined });
    [this.text, this.line] = ["", ""];
  }
}

const word = fc.string({
  minLength: 1,
  maxLength: 6,
  unit: fc.constantFrom(...Array.from("abc d")),
});
const other = fc.string({
  minLength: 1,
  maxLength: 4,
  unit: fc.constantFrom(...Array.from("日本か👍é")),
});
const doing = fc.oneof(
  word.map((text) => (phone: Phone) => phone.insert(text)),
  other.map((text) => (phone: Phone) => phone.insert(text)),
  fc.tuple(fc.constantFrom(...Array.from("abc ")), fc.boolean()).map(
    ([sign, shown]) =>
      (phone: Phone) =>
        phone.key(sign, shown),
  ),
  fc.constant((phone: Phone) => phone.backspace()),
  word.map((text) => (phone: Phone) => phone.correct(text)),
  fc
    .array(fc.oneof(word, other), { minLength: 1, maxLength: 5 })
    .map((steps) => (phone: Phone) => phone.compose(steps)),
  fc.constant((phone: Phone) => phone.enter()),
);

test("TO4 whatever a keyboard does to its field, the program has the same line in the end, each letter once", () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(doing, { maxLength: 30 }), (live, all) => {
      const phone = new Phone(live);
      for (const act of all) {
        act(phone);
        expect(phone.line).toBe(phone.text);
      }
    }),
  );
});

test("TO20 words are sent letter by letter where they are composed so, and replaced by what deletes them", () => {
  expect(toEdits("teh", "the")).toBe("\u007F\u007Fhe");
  expect(toEdits("👍🏽", "")).toBe("\u007F\u007F");
  expect(toEdits("", "a\nb")).toBe("a\rb");
  const compose = (data: string, live: boolean) =>
    applyFieldEvent(
      { ...EMPTY_FIELD, isComposing: true },
      { kind: "input", how: "", data, text: data },
      live,
    ).send;
  expect(compose("gi", true)).toBe("gi");
  expect(compose("gi", false)).toBe("");
  expect(compose("に", true)).toBe("");
  // Backspace in an empty field goes to the program.
  expect(applyFieldEvent(EMPTY_FIELD, { kind: "delete" }, true).send).toBe("\u007F");
});
