// Owns the few pieces of SVG that the charts are made of. Pure. Colours are the reader's: light or dark
// by what their system prefers, and in between where nobody tells.

export const COLOURS: Readonly<Record<string, string>> = {
  product: "product",
  bare: "bare",
};

const STYLE = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a; }
  .title { font-weight: 600; fill: #24292f; }
  .value { fill: #24292f; }
  .product { fill: #1f6feb; stroke: #1f6feb; }
  .bare { fill: #8c959f; stroke: #8c959f; }
  .other { fill: #bc8c5f; stroke: #bc8c5f; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .line { fill: none; stroke-width: 2; }
  rect, text { stroke: none !important; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; }
    .title, .value { fill: #e6edf3; }
    .product { fill: #4493f8; stroke: #4493f8; }
    .bare { fill: #6e7681; stroke: #6e7681; }
    .other { fill: #a5794f; stroke: #a5794f; }
    .grid { stroke: #3d444d; }
    .line { fill: none; }
  }`;

export function svg(width: number, height: number, label: string, body: readonly string[]): string {
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(label)}">`;
  return [open, `<style>${STYLE}</style>`, ...body, "</svg>", ""].join("\n");
}

export function text(
  x: number,
  y: number,
  words: string,
  { kind = "", anchor = "start" }: { kind?: string; anchor?: "start" | "middle" | "end" } = {},
): string {
  const className = kind === "" ? "" : ` class="${kind}"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${className}>${escape(words)}</text>`;
}

export function bar(x: number, y: number, width: number, height: number, kind: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(1, width))}" height="${height}" rx="2" class="${kind}"/>`;
}

export function rule(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" class="grid"/>`;
}

export function path(points: readonly (readonly [number, number])[], kind: string): string {
  const d = points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
  const dots = points.map(
    ([x, y]) => `<circle cx="${round(x)}" cy="${round(y)}" r="3" class="${kind}"/>`,
  );
  return [`<path d="${d}" class="line ${kind}"/>`, ...dots].join("\n");
}

export function findKind(chain: string): string {
  return COLOURS[chain] ?? "other";
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
