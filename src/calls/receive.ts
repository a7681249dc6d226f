import type { ServerResponse } from "../wire/response.ts";
import type { Call } from "./call.ts";
import { type ClientCall, isClientCall } from "./client-call.ts";
import { type NeededInput, collectInput, inputRequired } from "./input-rounds.ts";
import { failure } from "./outcome.ts";
import { send } from "./send.ts";
import { complete } from "./settle.ts";

/**
 * Takes a server's response to a call. A modern server may ask for input before it continues; a
 * legacy client gets separate requests for it.
 */
export function receive(call: Call, response: ServerResponse): void {
  if (isClientCall(call) && call.route?.era === "modern" && call.caller.era === "legacy") {
    const needed = inputRequired(response);
    if (needed !== undefined && "code" in needed) {
      complete(call, { kind: "refusal", error: needed });
      return;
    }
    if (needed !== undefined) {
      askForInput(call, needed).catch((error: unknown) => complete(call, failure(error)));
      return;
    }
  }
  complete(call, { kind: "response", response });
}

/** Asks the client for the input that the server needs, and sends the call again with it. */
async function askForInput(call: ClientCall, needed: NeededInput): Promise<void> {
  const { destination, route } = call;
  if (destination?.server === undefined || route === undefined) return;
  const collected = await collectInput(call, needed, route);
  if (call.state === "settled") return;
  if ("code" in collected) complete(call, { kind: "refusal", error: collected });
  else send(call, destination, collected);
}
