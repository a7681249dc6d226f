import { describe, expect, it } from "vitest";

import { RPC } from "../errors.ts";
import { declares, refusalByCapabilities } from "./answerable.ts";

const FORM = { message: "?", requestedSchema: {} };
const URL_MODE = { mode: "url", message: "?", url: "https://example.com", elicitationId: "e" };

describe("a request of a server on a connection for all clients", () => {
  it.each([
    ["elicitation/create", FORM, {}],
    ["sampling/createMessage", {}, { elicitation: {} }],
    ["roots/list", {}, { sampling: {} }],
  ])("is an unknown method for a client without the capability: %s", (method, params, declared) => {
    expect(declares(declared, method)).toBe(false);
    expect(refusalByCapabilities(declared, method, params)).toEqual({
      code: RPC.methodNotFound,
      message: `Method not found: ${method}`,
    });
  });

  it.each([
    ["elicitation/create", FORM, { elicitation: {} }],
    ["elicitation/create", FORM, { elicitation: { form: {} } }],
    ["elicitation/create", URL_MODE, { elicitation: { url: {} } }],
    ["sampling/createMessage", {}, { sampling: {} }],
    ["sampling/createMessage", { tools: [] }, { sampling: { tools: {} } }],
    ["roots/list", {}, { roots: {} }],
    ["tasks/get", {}, {}],
    ["vendor/ask", {}, {}],
  ])("is passed on if the client supports it: %s %j", (method, params, declared) => {
    expect(refusalByCapabilities(declared, method, params)).toBeUndefined();
  });

  it.each([
    ["elicitation/create", URL_MODE, { elicitation: {} }, "elicitation by URL"],
    ["elicitation/create", FORM, { elicitation: { url: {} } }, "elicitation by form"],
    ["sampling/createMessage", { tools: [] }, { sampling: {} }, "tools in sampling requests"],
    ["sampling/createMessage", { toolChoice: {} }, { sampling: {} }, "tools in sampling requests"],
  ])("names the part that the client lacks: %s %j", (method, params, declared, part) => {
    expect(refusalByCapabilities(declared, method, params)).toEqual({
      code: RPC.invalidParams,
      message: `The client does not support ${part}`,
    });
  });
});
