// Owns the tools that use the rounds of the 2026 wire (SEP-2322): the answer to a call lists
// required inputs, and the client repeats the call with them and the sealed state.

import { randomBytes, randomUUID } from "node:crypto";
import type { InputRequest, McpServer } from "@modelcontextprotocol/server";
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { findAnswer, textResult, registerInputTool, sampleRequest } from "./client-input.ts";
import { colourForm, confirmForm, nameForm } from "./elicitation-forms.ts";
import { compact } from "../../protocol/compact.ts";

/** Valid in this process only; detects a state that a client changed. */
export const stateCodec = createRequestStateCodec<State>({ key: randomBytes(32) });

interface State {
  readonly round: number;
  readonly name?: string;
  readonly nonce: string;
}

const NAME = z.object({ name: z.string() });
const COLOUR = z.object({ color: z.string() });

const seal = (round: number, name?: string) =>
  stateCodec.mint({ round, nonce: randomUUID(), ...compact({ name }) });

export function registerInputRequired(server: McpServer): void {
  registerSingle(server);
  registerState(server);
  registerSeveral(server);
}

function registerSingle(server: McpServer): void {
  registerInputTool(
    server,
    "test_input_required_result_sampling",
    "capital_question",
    sampleRequest("What is the capital of France?"),
  );
  registerInputTool(
    server,
    "test_input_required_result_list_roots",
    "client_roots",
    inputRequired.listRoots(),
  );
  server.registerTool(
    "test_input_required_result_elicitation",
    { description: "Asks for a name, again and again until it is one" },
    ({ mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, "user_name", NAME);
      if (given !== undefined) return textResult(`Hello, ${given.name}!`);
      return inputRequired({ inputRequests: { user_name: inputRequired.elicit(nameForm) } });
    },
  );
}

function registerState(server: McpServer): void {
  for (const [name, word] of [
    ["test_input_required_result_request_state", "state-ok"],
    ["test_input_required_result_tampered_state", "integrity-ok"],
  ] as const) {
    server.registerTool(name, { description: "Gives a sealed state along" }, async (ctx) => {
      const { inputResponses, requestState } = ctx.mcpReq;
      const confirmed = acceptedContent(inputResponses, "confirm") !== undefined;
      if (confirmed && requestState() !== undefined)
        return textResult(`${word}: the seal is whole`);
      return inputRequired({
        inputRequests: { confirm: inputRequired.elicit(confirmForm) },
        requestState: await seal(1),
      });
    });
  }
  server.registerTool(
    "test_input_required_result_multi_round",
    { description: "Asks twice; the rounds are counted in the sealed state" },
    async ({ mcpReq: { inputResponses, requestState } }) => {
      const state = requestState<State>();
      if (state === undefined) {
        return inputRequired({
          inputRequests: { step1: inputRequired.elicit(nameForm) },
          requestState: await seal(1),
        });
      }
      if (state.round === 1) {
        const name = acceptedContent(inputResponses, "step1", NAME)?.name;
        return inputRequired({
          inputRequests: { step2: inputRequired.elicit(colourForm) },
          requestState: await seal(2, name),
        });
      }
      const colour = acceptedContent(inputResponses, "step2", COLOUR)?.color;
      return textResult(`${state.name ?? "Somebody"} likes ${colour ?? "no colour"}`);
    },
  );
}

function registerSeveral(server: McpServer): void {
  const asks: Record<string, InputRequest> = {
    user_name: inputRequired.elicit(nameForm),
    greeting: sampleRequest("Write a greeting"),
    client_roots: inputRequired.listRoots(),
  };
  server.registerTool(
    "test_input_required_result_multiple_inputs",
    { description: "Asks for three things at once" },
    async (ctx) => {
      if (Object.keys(asks).every((key) => findAnswer(ctx, key) !== undefined)) {
        return textResult("All three were answered");
      }
      return inputRequired({ inputRequests: asks, requestState: await seal(1) });
    },
  );
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: "Asks for what the client says it can give" },
    ({ mcpReq }) => {
      if (mcpReq.inputResponses !== undefined) return textResult("Answered");
      const can = server.server.getClientCapabilities() ?? {};
      const needs: Record<string, keyof typeof can> = {
        user_name: "elicitation",
        greeting: "sampling",
        client_roots: "roots",
      };
      const possible = Object.entries(asks).filter(([key]) => {
        const need = needs[key];
        return need !== undefined && can[need] !== undefined;
      });
      if (possible.length === 0) return textResult("The client can give nothing");
      return inputRequired({ inputRequests: Object.fromEntries(possible) });
    },
  );
}
