import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Block, Inline } from "./markdown.ts";
import { parseMarkdown, toPlainText } from "./markdown.ts";
import { anyCharacter } from "../../test/support/any-character.ts";

/** Returns all nested inlines. */
function parseInlines(blocks: readonly Block[]): Inline[] {
  const deep = (of: readonly Inline[]): Inline[] =>
    of.flatMap((one) => ("of" in one ? [one, ...deep(one.of)] : [one]));
  return blocks.flatMap((block): Inline[] => {
    switch (block.is) {
      case "paragraph":
      case "line":
      case "heading":
        return deep(block.of);
      case "quote":
        return parseInlines(block.of);
      case "list":
        return block.items.flatMap((item) => parseInlines(item.blocks));
      case "table":
        return [...block.head, ...block.rows.flat()].flatMap(deep);
      default:
        return [];
    }
  });
}

const textIn = (text: string): string =>
  parseInlines(parseMarkdown(text))
    .map((one) => ("text" in one ? one.text : ""))
    .join("");

const linksIn = (text: string) =>
  parseInlines(parseMarkdown(text)).flatMap((one) => (one.is === "link" ? [one] : []));

test("AC72 Markdown becomes blocks and what is inside of them", () => {
  const [heading, paragraph, list, code] = parseMarkdown(
    "## A *b*\n\nOne **two** `<i>` ~~x~~\nnext\n\n3. a\n   - b\n4. [x] c\n\n```ts\nlet a;\n```",
  );
  expect(heading).toMatchObject({ is: "heading", level: 2, of: [{ text: "A " }, { is: "em" }] });
  expect(paragraph).toMatchObject({
    of: [
      { text: "One " },
      { is: "strong" },
      { text: " " },
      { is: "code", text: "<i>" },
      { text: " " },
      { is: "del" },
      { is: "break" },
      { text: "next" },
    ],
  });
  expect(list).toMatchObject({
    start: 3,
    items: [{ done: undefined, blocks: [{ is: "line" }, { is: "list" }] }, { done: true }],
  });
  expect(code).toMatchObject({ is: "code", lang: "ts", text: "let a;" });
});

test("AC72 a table, a quote and a rule", () => {
  const [table, quote, rule] = parseMarkdown("|a|b|\n|-|-:|\n|1|**2**|\n\n> q\n\n---");
  expect(table).toMatchObject({
    align: [null, "right"],
    rows: [[[{ text: "1" }], [{ is: "strong" }]]],
  });
  expect(quote).toMatchObject({ is: "quote", of: [{ is: "paragraph" }] });
  expect(rule).toMatchObject({ is: "rule" });
});

test("AC72 a code block that is not closed yet is one already", () => {
  expect(parseMarkdown("so:\n\n```sh\nnpm te")).toMatchObject([{}, { is: "code", text: "npm te" }]);
});

test.each([
  "<script>alert(1)</script>",
  '<img src=x onerror="alert(1)">',
  "a <b>bold</b> word",
  "<!-- hidden -->",
  "<svg/onload=alert(1)>",
  "<details><summary>x</summary>y</details>",
  "<a href='javascript:alert(1)'>x</a>",
  "<style>*{display:none}</style>",
])("AC72 %s is text, whole", (html) => {
  expect(textIn(html)).toBe(html);
  expect(textIn(`> - ${html}`)).toBe(html);
});

test("AC72 references are the characters that they name, and make no markup", () => {
  expect(textIn("&lt;b&gt; &amp; &#65; &#x1F600; &nope; &#0; &constructor;")).toBe(
    "<b> & A 😀 &nope; \uFFFD &constructor;",
  );
});

test.each([
  ["[x](https://a.b/c)", "https://a.b/c", false],
  ["https://a.b/c", "https://a.b/c", true],
  ["<https://a.b>", "https://a.b/", true],
  ["me@a.b", "mailto:me@a.b", true],
  ["![alt](http://a.b/c.png)", "http://a.b/c.png", false],
  ["[](https://a.b/)", "https://a.b/", true],
  ["[r]\n\n[r]: https://a.b/", "https://a.b/", false],
  ["[x](https://user:secret@a.b/)", "https://a.b/", false],
  ["[x](https://аpple.com)", "https://xn--pple-43d.com/", false],
])("AC130 %s leads to %s", (text, href, isPlain) => {
  expect(linksIn(text)).toMatchObject([{ to: { href }, isPlain }]);
});

test.each([
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java&#115;cript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x)",
  "[x](file:///etc/passwd)",
  "[x](blob:https://a.b/c)",
  "[x](ftp://a.b/c)",
  "[x](vscode://a.b/c)",
  "[x](//a.b)",
  "[x](/w/other)",
  "[x](src/a.ts)",
  "![x](javascript:alert(1))",
  "[x][r]\n\n[r]: javascript:alert(1)",
])("AC130 %s is no link", (text) => {
  expect(linksIn(text)).toEqual([]);
  // The text stays visible.
  expect(textIn(text)).toContain("x");
});

test("AC130 a link that says another target shows its own", () => {
  const [link] = linksIn("[https://bank.example](https://evil.example/x)");
  expect(link).toMatchObject({ isPlain: false, to: { shown: "https://evil.example/x" } });
  const long = `https://${"a".repeat(60)}.${"b".repeat(60)}.evil.example`;
  expect(linksIn(`[x](${long}/${"c".repeat(500)})`)[0]?.to.shown.startsWith(`${long}/`)).toBe(true);
});

const PATHOLOGICAL = [
  ">",
  "> ",
  "- ",
  "1. ",
  "*a ",
  "_a",
  "a**b",
  "[",
  "![",
  "[a](",
  "`",
  "~a~",
  "<a ",
  "<!--",
  "&",
  "\\",
  "|a",
  "a.",
  "a@",
  "# ",
  "http://a.",
  "[a]: b\n",
  "\n",
  "\t",
  "\u0000",
  "\u202E",
];

test.each(PATHOLOGICAL)("AC129 %j ten thousand times over is read", (piece) => {
  const text = piece.repeat(10_000);
  expect(parseMarkdown(text).length).toBeGreaterThanOrEqual(0);
  expect(linksIn(`${text}[x](javascript:1)`)).toSatisfy((links: { to: { href: string } }[]) =>
    links.every(({ to }) => /^(?:https?|mailto):/.test(to.href)),
  );
});

test("AC129 AC130 whatever an agent says, it fails nothing, links lead only where the page opens, words stay", () => {
  const piece = fc.oneof(
    fc.constantFrom(...PATHOLOGICAL, "```", "\n\n", "](javascript:alert(1))", "<img onerror=x>"),
    fc.constantFrom("https://a.b", "[x](", ")", "**", "|-|-|\n", "---\n", "    ", "data:,"),
    fc.string({ maxLength: 6, unit: anyCharacter }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      const blocks = parseMarkdown(text);
      for (const one of parseInlines(blocks)) {
        if (one.is === "link") expect(one.to.href).toMatch(/^(?:https?:\/\/[^/]|mailto:)/);
        if (one.is === "link") expect(toPlainText(one.of).trim()).not.toBe("");
      }
      expect(blocks.every(({ raw }) => typeof raw === "string")).toBe(true);
    }),
    { numRuns: 200 },
  );
});
