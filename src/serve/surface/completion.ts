import { answered } from "../../calls/destination.ts";
import { refusal } from "../../calls/outcome.ts";
import { RPC } from "../../errors.ts";
import { isObject } from "../../wire/messages.ts";
import { requireApprovedTemplate } from "./approved-items.ts";
import { findPrompt, promptNotFound } from "./prompts.ts";
import { findResource } from "./resource-uris.ts";
import { isPinned } from "./seen-tools.ts";
import type { CatalogueRoute } from "./surface.ts";

/** `completion/complete`: goes to the server of the prompt or resource template it refers to. */
export const complete: CatalogueRoute = async (client, request, lists) => {
  const ref = request.params["ref"];
  if (isObject(ref) && ref["type"] === "ref/prompt") {
    const prompt = await findPrompt(client, ref["name"], lists);
    if (prompt === undefined) return answered(promptNotFound(ref["name"]));
    const { server, name } = prompt;
    return { server, subject: name, changes: { ref: JSON.stringify({ ...ref, name }) } };
  }
  if (isObject(ref) && typeof ref["uri"] === "string") {
    const address = await findResource(client, ref["uri"], lists);
    if ("code" in address) return answered({ kind: "refusal", error: address });
    const { server, uri } = address;
    if (isPinned(server)) await requireApprovedTemplate(client, server, uri);
    return { server, subject: uri, changes: { ref: JSON.stringify({ ...ref, uri }) } };
  }
  const message = "ref: Required (expected a ref/prompt or a ref/resource)";
  return answered(refusal(RPC.invalidParams, message));
};
