import type { ServerRef } from "../../calls/identifier.ts";
import type { Era } from "../../protocol/client-profile.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { DefinitionPins } from "../definition-pins.ts";

/** How a server describes itself. */
export interface ServerHello {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions: string | undefined;
  /** The instructions that clients do not get, because the user has not approved them. */
  readonly withheldInstructions?: string | undefined;
  /** The whole answer, for clients that see the server itself. */
  readonly raw: JsonObject;
}

/** Before the handshake. */
export const NOT_CONNECTED: ServerHello = {
  era: "legacy",
  protocolVersion: "",
  capabilities: {},
  serverInfo: {},
  instructions: undefined,
  raw: {},
};

/** The same without instructions that the user has not approved. Can be applied again. */
export function approvedHello(
  hello: ServerHello,
  place: ServerRef,
  pins: DefinitionPins | undefined,
): ServerHello {
  const { withheldInstructions, ...shown } = hello;
  const { instructions: _shown, ...raw } = hello.raw;
  const instructions = withheldInstructions ?? hello.instructions;
  if (instructions === undefined) return hello;
  if (pins === undefined || pins.approvesInstructions(place, instructions))
    return withheldInstructions === undefined
      ? hello
      : { ...shown, instructions, raw: { ...raw, instructions } };
  return { ...shown, raw, instructions: undefined, withheldInstructions: instructions };
}

/** The instructions as the server wrote them, approved or not. */
export function ownInstructions({
  instructions,
  withheldInstructions,
}: ServerHello): string | undefined {
  return withheldInstructions ?? instructions;
}
