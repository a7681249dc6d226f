import type { Amend } from "../../calls/destination.ts";
import type { Server } from "../../servers/server.ts";
import { editedResponse } from "../../wire/edited-response.ts";
import { memberText, replaceMember } from "../../wire/members.ts";
import { resourceUri } from "../surface/resource-uris.ts";
import { entryWith, itemsWith } from "./skill-entries.ts";

/** The result of `skills/get`, with the URIs of clients. */
export function amendSkill(server: Server): Amend {
  return amendMember("skill", (text) => entryWith(text, (uri) => resourceUri(server, uri)));
}

/** The result of `resources/directory/read`, with the URIs of clients. */
export function amendDirectory(server: Server): Amend {
  return amendMember("resources", (text) => itemsWith(text, (uri) => resourceUri(server, uri)));
}

/** Rewrites one member of a result. */
function amendMember(key: string, rewrite: (text: string) => string): Amend {
  return async (response) => {
    if (response.isError) return response;
    return editedResponse(response, (text) => {
      const given = memberText(text, "result");
      const member = given && memberText(given, key);
      if (!given || !member) return undefined;
      return replaceMember(text, "result", replaceMember(given, key, rewrite(member)));
    });
  };
}
