import { answered } from "../../calls/destination.ts";
import { type Outcome, refusal } from "../../calls/outcome.ts";
import { RPC } from "../../errors.ts";
import { amendContents } from "../apps/amend-ui.ts";
import { OWN_SKILLS, keptScheme } from "./kept-schemes.ts";
import { findResource, resourceUri } from "./resource-uris.ts";
import { listRewritten } from "./rewritten-items.ts";
import type { CatalogueRoute } from "./surface.ts";

export const listResources = listRewritten("resources", "uri", resourceUri);

export const listTemplates = listRewritten("resourceTemplates", "uriTemplate", resourceUri);

/** `resources/read`: goes to the server of the URI. */
export const readResource: CatalogueRoute = async (client, request, lists, shown) => {
  const { uri } = request.params;
  if (typeof uri !== "string") return answered(uriRequired());
  if (uri.startsWith(OWN_SKILLS)) {
    const { readOwnSkill } = await import("../skills/own-skill-answers.ts");
    return answered(readOwnSkill(client, shown, uri));
  }
  const address = await findResource(client, uri, lists);
  if ("code" in address) return answered({ kind: "refusal", error: address });
  const { server } = address;
  const changes = { uri: JSON.stringify(address.uri) };
  const hasKeptScheme = keptScheme(uri) !== undefined && uri !== address.uri;
  return { server, subject: uri, changes, ...(hasKeptScheme && { amend: amendContents }) };
};

export function uriRequired(): Outcome {
  return refusal(RPC.invalidParams, "uri: Required (expected string)");
}
