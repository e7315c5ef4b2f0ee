import fc from "fast-check";
import { expect, test } from "vitest";
import { KEY_NAMES, getKeyBytes, parseKeys } from "./named-keys.ts";

const typed = (stdin: string, isApplication?: boolean) =>
  parseKeys(stdin)
    .map((one) => (one.kind === "text" ? one.text : getKeyBytes(one.name, isApplication)))
    .join("");

test("Y10 named keys become what a keyboard sends", () => {
  expect(typed("ls<Enter>")).toBe("ls\r");
  expect(typed("<C-c>")).toBe("\x03");
  expect(typed("<C-C><C-d><C-z><C-\\><C-[><C-@>")).toBe("\x03\x04\x1a\x1c\x1b\0");
  expect(typed("<Up><Down><F1><F12><S-Tab><M-x>")).toBe("\x1b[A\x1b[B\x1bOP\x1b[24~\x1b[Z\x1bx");
  expect(typed("<Up><Home><PageUp>", true)).toBe("\x1bOA\x1bOH\x1b[5~");
});

test("Y78 what is no key is typed as it stands, and one more < makes a key text", () => {
  for (const text of ["<div>", "cat <<EOF\nx\nEOF\n", "a < b > c", "<>", "<<", "<c-c>", "<C-é>"]) {
    expect(typed(text)).toBe(text);
  }
  expect(typed("<<Up>")).toBe("<Up>");
  expect(typed("<<<Up>")).toBe("<<Up>");
  expect(typed("cat <<Tab>")).toBe("cat <Tab>");
});

test("Y78 any text can be typed: with a < before each name, every name is text", () => {
  const name = fc.constantFrom(...KEY_NAMES, "C-c", "M-a", "C-[");
  const part = fc.oneof(
    fc.string(),
    name.map((one) => `<${one}>`),
    fc.constant("<"),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = parts.join("");
      const escaped = text.replaceAll(/<([A-Za-z][\w-]*|[CM]-[!-~])>/g, (whole, found: string) =>
        getKeyBytes(found) === undefined ? whole : `<${whole}`,
      );
      expect(typed(escaped)).toBe(text);
    }),
  );
});

test("Y10 keys and text keep their order, and nothing is lost", () => {
  const name = fc.constantFrom(...KEY_NAMES);
  const word = fc.string().filter((text) => !/[<>]/.test(text));
  fc.assert(
    fc.property(fc.array(fc.tuple(word, name)), (pairs) => {
      const stdin = pairs.map(([text, one]) => `${text}<${one}>`).join("");
      const bytes = pairs.map(([text, one]) => text + (getKeyBytes(one) ?? "")).join("");
      expect(typed(stdin)).toBe(bytes);
    }),
  );
});
