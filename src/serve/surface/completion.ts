import { RPC } from "../../errors.ts";
import { type IncomingRequest, isObject } from "../../wire/messages.ts";
import { forward } from "../forward.ts";
import { findPrompt, refusePrompt } from "./prompts.ts";
import type { Requester } from "../requester.ts";
import { findResource } from "./resource-uris.ts";

/** `completion/complete`: goes to the server of the prompt or resource template it refers to. */
export async function complete(requester: Requester, request: IncomingRequest): Promise<void> {
  const ref = request.params["ref"];
  if (isObject(ref) && ref["type"] === "ref/prompt") {
    const prompt = await findPrompt(requester, ref["name"]);
    if (prompt === undefined) refusePrompt(requester, request, ref["name"]);
    else
      forward(requester, request, prompt.server, prompt.name, {
        ref: JSON.stringify({ ...ref, name: prompt.name }),
      });
  } else if (isObject(ref) && typeof ref["uri"] === "string") {
    const address = await findResource(requester, ref["uri"]);
    if ("code" in address) requester.refuse(request, address);
    else
      forward(requester, request, address.server, address.uri, {
        ref: JSON.stringify({ ...ref, uri: address.uri }),
      });
  } else {
    const message = "ref: Required (expected a ref/prompt or a ref/resource)";
    requester.refuse(request, { code: RPC.invalidParams, message });
  }
}
