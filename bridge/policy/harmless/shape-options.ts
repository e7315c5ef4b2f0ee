// Owns parsing the option line of a shape (call-shape.ts describes it). Each line is parsed once.

export interface Option {
  readonly value: "none" | "needed" | "glued" | "maybe";
  readonly allowed?: ReadonlySet<string>;
  /** The value is a path that must stay in the folder. */
  readonly inside: boolean;
  readonly loads: boolean;
}

const TOKEN = /^(-[^=[]+)(?:(\[)?(=)?([^\]]*)\]?)?$/;
const READ = new Map<string, ReadonlyMap<string, Option>>();

export function parseShapeOptions(line: string): ReadonlyMap<string, Option> {
  const known = READ.get(line);
  if (known !== undefined) return known;
  const options = new Map(line.split(/\s+/).filter(Boolean).map(parseOptionLine));
  READ.set(line, options);
  return options;
}

function parseOptionLine(token: string): readonly [string, Option] {
  const [, name = "", bracket, sign, text = ""] = TOKEN.exec(token) ?? [];
  if (name === "") throw new Error(`${token} is not an option`);
  const isSpecial = text === "@" || text === "!";
  const option = {
    value: parseValueKind(bracket !== undefined, sign !== undefined),
    ...(text === "" || isSpecial ? {} : { allowed: new Set(text.split("|")) }),
    inside: text === "@",
    loads: text === "!",
  };
  return [name, option];
}

function parseValueKind(isOptional: boolean, hasSign: boolean): Option["value"] {
  if (isOptional) return hasSign ? "glued" : "maybe";
  return hasSign ? "needed" : "none";
}
