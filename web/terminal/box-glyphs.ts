// Owns the look of box drawing and block characters (U+2500 to U+259F) in xterm's DOM renderer: CSS backgrounds
// that fill the whole cell, since a font's glyphs end above the next row. Pure.

const FIRST_BOX = 0x25_00;
const FIRST_BLOCK = 0x25_80;
const LAST_BLOCK = 0x25_9f;

/** Overlap beyond the cell, which clips it; hides gaps from rounding to whole pixels. */
const BLEED = "2px";

/** Thickness of a light line; the style sheet defines it. */
const LINE = "var(--box-line)";

/**
 * Arms of each character from U+2500 on, two hexadecimal digits per character: left, right, up, down, with
 * two bits each. 0: none, 1: light, 2: heavy, 3: double. Diagonals have none.
 */
const ARMS = [
  "50a0050a50a0050a50a0050a11211222",
  "41814282142418284484488815251916",
  "1a29262a458549464a89868a519161a1",
  "529262a2549464a4589868a8559565a5",
  "59565a99699666a9a69a6aaa50a0050a",
  "f00f311333c143c3341c3cc44ccc351f",
  "3fc54fcff153f3f45cfcf55fff114144",
  "14000000400410018008200260069009",
].join("");

/** Number of dashes of a dashed line. */
const DASHES: Readonly<Record<string, number>> = {
  "┄": 3,
  "┅": 3,
  "┆": 3,
  "┇": 3,
  "┈": 4,
  "┉": 4,
  "┊": 4,
  "┋": 4,
  "╌": 2,
  "╍": 2,
  "╎": 2,
  "╏": 2,
};

const DOUBLE = 3;

/** Radius of a rounded corner, in lines: less than half of a cell. */
const RADIUS = 4;
/** Corner of the cell that contains the centre of a rounded corner's circle. */
const ARCS: Readonly<Record<string, readonly [right: boolean, down: boolean]>> = {
  "╭": [true, true],
  "╮": [false, true],
  "╯": [false, false],
  "╰": [true, false],
};

/** Eighths of the cell that a block fills from one side; U+2580 to U+2590. */
const UPPER: Readonly<Record<string, number>> = { "▀": 4, "▔": 1 };
const RIGHT: Readonly<Record<string, number>> = { "▐": 4, "▕": 1 };
const SHADES: Readonly<Record<string, number>> = { "░": 25, "▒": 50, "▓": 75 };

/** Filled quarters of each character from U+2596 on; 0 to 3 are upper left, upper right, lower left, lower right. */
const QUADRANTS = ["2", "3", "0", "023", "03", "012", "013", "1", "12", "123"];
const FIRST_QUADRANT = 0x25_96;

/** Returns the `background` of a character's cell, in `currentColor`; undefined for all others. */
export function boxBackground(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code < FIRST_BOX || code > LAST_BLOCK) return undefined;
  const layers = code < FIRST_BLOCK ? lineLayers(character, code) : blockLayers(character, code);
  return layers.join(",");
}

function lineLayers(character: string, code: number): string[] {
  const dashes = DASHES[character];
  if (dashes !== undefined) return [drawDashes(getArms(code), dashes)];
  if (character === "╱") return [diagonal("to bottom right")];
  if (character === "╲") return [diagonal("to top right")];
  if (character === "╳") return [diagonal("to bottom right"), diagonal("to top right")];
  const arc = ARCS[character];
  if (arc !== undefined) return drawRounded(arc);
  const [left, right, up, down] = getArms(code);
  return [
    ...arm(left, { opposite: right, before: up, after: down }).map(toward("left")),
    ...arm(right, { opposite: left, before: up, after: down }).map(toward("right")),
    ...arm(up, { opposite: down, before: left, after: right }).map(toward("up")),
    ...arm(down, { opposite: up, before: left, after: right }).map(toward("down")),
  ];
}

type Arms = readonly [left: number, right: number, up: number, down: number];

function getArms(code: number): Arms {
  const at = (code - FIRST_BOX) * 2;
  const bits = Number.parseInt(ARMS.slice(at, at + 2), 16);
  return [(bits >> 6) & 3, (bits >> 4) & 3, (bits >> 2) & 3, bits & 3];
}

/** One line of an arm; lengths are in light lines, from the middle of the cell. */
interface Stroke {
  readonly thickness: number;
  /** Distance from the middle, perpendicular to the arm. */
  readonly offset: number;
  /** Where the line begins, along the arm; negative if beyond the middle. */
  readonly start: number;
}

interface Neighbours {
  readonly opposite: number;
  /** Perpendicular arms, on the side of negative and of positive offsets. */
  readonly before: number;
  readonly after: number;
}

function arm(weight: number, neighbours: Neighbours): Stroke[] {
  if (weight === 0) return [];
  const { before, after } = neighbours;
  if (weight !== DOUBLE) return [{ thickness: weight, offset: 0, start: singleStart(neighbours) }];
  const { opposite } = neighbours;
  return [
    { thickness: 1, offset: -1, start: doubleStart(opposite, before, after) },
    { thickness: 1, offset: 1, start: doubleStart(opposite, after, before) },
  ];
}

/** Returns where a light or heavy arm begins: at the near line of a double crossing, or beyond the middle. */
function singleStart({ opposite, before, after }: Neighbours): number {
  if (before === DOUBLE && after === DOUBLE) return opposite > 0 ? -0.5 : 0.5;
  if (before === DOUBLE || after === DOUBLE) return opposite > 0 ? -0.5 : -1;
  return plainStart(opposite, Math.max(before, after));
}

/** Returns where one line of a double arm begins; `near` is the perpendicular arm on this line's side. */
function doubleStart(opposite: number, near: number, far: number): number {
  if (near === DOUBLE) return 0.5;
  if (far === DOUBLE) return opposite > 0 ? -0.5 : -1;
  return plainStart(opposite, Math.max(near, far));
}

/** Returns where an arm without a double crossing begins; arms overlap in the middle, so rounding leaves no gap. */
function plainStart(opposite: number, across: number): number {
  return across === 0 && opposite > 0 ? -0.5 : -across / 2;
}

type Direction = "left" | "right" | "up" | "down";

function toward(direction: Direction): (stroke: Stroke) => string {
  return ({ thickness, offset, start }) => {
    const length = `calc(50% + ${BLEED} - ${start} * ${LINE})`;
    const side = `calc(50% + ${offset} * ${LINE})`;
    const width = `calc(${thickness} * ${LINE})`;
    const isFirst = direction === "left" || direction === "up";
    const edge = isFirst ? `-${BLEED}` : `calc(100% + ${BLEED})`;
    const isHorizontal = direction === "left" || direction === "right";
    return isHorizontal ? fillArea(edge, side, length, width) : fillArea(side, edge, width, length);
  };
}

function fillArea(
  x: string,
  y: string,
  width: string,
  height: string,
  color = "currentColor",
): string {
  return `linear-gradient(${color} 0 0) ${x} ${y}/${width} ${height} no-repeat`;
}

function drawDashes([left, , up]: Arms, count: number): string {
  const [angle, thickness, isHorizontal] = left > 0 ? ["90deg", left, true] : ["180deg", up, false];
  const gradient = `linear-gradient(${angle},currentColor 60%,#0000 0)`;
  const [length, width] = [`calc(100% / ${count})`, `calc(${thickness} * ${LINE})`];
  return isHorizontal
    ? `${gradient} 0 50%/${length} ${width} repeat-x`
    : `${gradient} 50% 0/${width} ${length} repeat-y`;
}

function diagonal(to: string): string {
  const [from, until] = [`calc(50% - ${LINE} / 2)`, `calc(50% + ${LINE} / 2)`];
  return `linear-gradient(${to},#0000 ${from},currentColor ${from} ${until},#0000 ${until})`;
}

/** Draws a quarter of a ring and the arms that continue from its ends. */
function drawRounded([isRight, isDown]: readonly [boolean, boolean]): string[] {
  const [inner, outer] = [`calc(${RADIUS - 1} * ${LINE})`, `calc(${RADIUS} * ${LINE})`];
  const [x, y] = [isRight ? "100%" : "0%", isDown ? "100%" : "0%"];
  const ring = `radial-gradient(circle at ${x} ${y},#0000 ${inner},currentColor ${inner} ${outer},#0000 ${outer})`;
  const shift = (isAfter: boolean): string =>
    `calc(50% ${isAfter ? "+" : "-"} ${(RADIUS - 1) / 2} * ${LINE})`;
  const rest: Stroke = { thickness: 1, offset: 0, start: RADIUS - 1 };
  return [
    `${ring} ${shift(isRight)} ${shift(isDown)}/${outer} ${outer} no-repeat`,
    toward(isRight ? "right" : "left")(rest),
    toward(isDown ? "down" : "up")(rest),
  ];
}

function blockLayers(character: string, code: number): string[] {
  const shade = SHADES[character];
  if (shade !== undefined)
    return [area([0, 8], [0, 8], `color-mix(in srgb,currentColor ${shade}%,#0000)`)];
  if (code >= FIRST_QUADRANT)
    return Array.from(QUADRANTS[code - FIRST_QUADRANT] ?? "", (quarter) =>
      area(half(Number(quarter) % 2 === 0), half(Number(quarter) < 2)),
    );
  const upper = UPPER[character];
  if (upper !== undefined) return [area([0, 8], [0, upper])];
  const right = RIGHT[character];
  if (right !== undefined) return [area([8 - right, 8], [0, 8])];
  // Lower blocks grow up to the full block U+2588; the left blocks after it shrink.
  const step = code - FIRST_BLOCK;
  return [step <= 8 ? area([0, 8], [8 - step, 8]) : area([0, 16 - step], [0, 8])];
}

/** Extent in eighths of the cell; at least one end is at the cell's edge. */
type Extent = readonly [from: number, to: number];

function half(isFirst: boolean): Extent {
  return isFirst ? [0, 4] : [4, 8];
}

function area(across: Extent, down: Extent, color?: string): string {
  const [x, width] = withOverlap(across);
  const [y, height] = withOverlap(down);
  return fillArea(x, y, width, height, color);
}

/** Returns position and size of an extent, enlarged by the overlap at the cell's edges that it reaches. */
function withOverlap([from, to]: Extent): readonly [position: string, size: string] {
  if (from === 0 && to === 8) return [`-${BLEED}`, `calc(100% + 2 * ${BLEED})`];
  const size = `calc(${(to - from) * 12.5}% + ${BLEED})`;
  return [from === 0 ? `-${BLEED}` : `calc(100% + ${BLEED})`, size];
}
