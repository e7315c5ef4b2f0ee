// Owns the forms that the suite shows to clients.

import type { ElicitInputParams } from "@modelcontextprotocol/server";

type Properties = Extract<ElicitInputParams["requestedSchema"], { type: "object" }>["properties"];

function form(message: string, properties: Properties, required: string[] = []): ElicitInputParams {
  return { message, requestedSchema: { type: "object", properties, required } };
}

export const nameForm = form("What is your name?", { name: { type: "string" } }, ["name"]);
export const colourForm = form("Which colour do you like?", { color: { type: "string" } }, [
  "color",
]);
export const confirmForm = form("Please confirm", { ok: { type: "boolean" } }, ["ok"]);
export const contextForm = form("Which context?", { context: { type: "string" } }, ["context"]);

export const responseForm = (message: string) =>
  form(message, { response: { type: "string", description: "Your answer" } }, ["response"]);

/** SEP-1034: a default for each primitive type. */
export const defaultsForm = form("Please look through the defaults", {
  name: { type: "string", description: "Name", default: "John Doe" },
  age: { type: "integer", description: "Age", default: 30 },
  score: { type: "number", description: "Score", default: 95.5 },
  status: {
    type: "string",
    description: "Status",
    enum: ["active", "inactive", "pending"],
    default: "active",
  },
  verified: { type: "boolean", description: "Verified", default: true },
});

const titled = (noun: string) =>
  ["First", "Second", "Third"].map((which, at) => ({
    const: `value${at + 1}`,
    title: `${which} ${noun}`,
  }));
const OPTIONS = ["option1", "option2", "option3"];

/** SEP-1330: the five ways to define a choice. */
export const choicesForm = form("Please choose", {
  untitledSingle: { type: "string", description: "Choose one", enum: OPTIONS },
  titledSingle: { type: "string", description: "Choose one", oneOf: titled("Option") },
  legacyEnum: {
    type: "string",
    description: "Choose one, the old way",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: {
    type: "array",
    description: "Choose some",
    minItems: 1,
    maxItems: 3,
    items: { type: "string", enum: OPTIONS },
  },
  titledMulti: {
    type: "array",
    description: "Choose some",
    minItems: 1,
    maxItems: 3,
    items: { anyOf: titled("Choice") },
  },
});
