import { type Outcome, refusal, result } from "../../calls/outcome.ts";
import { RPC } from "../../errors.ts";
import type { JsonObject } from "../../wire/messages.ts";
import { offersScripts } from "../../workbench/meta-tools/definitions.ts";
import type { ServedClient } from "../served-client.ts";
import { OWN_SKILLS } from "../surface/kept-schemes.ts";
import type { ShownCatalogue } from "../surface/surface.ts";
import { type OwnSkill, entryOf, ownSkills } from "./own-skills.ts";
import { childrenOf } from "./skill-entries.ts";

/** Answers about the skills of the workbench itself, for one client. */

export function ownEntries(client: ServedClient, shown: ShownCatalogue): JsonObject[] {
  return skillsOf(client, shown).map(entryOf);
}

/** The entry of one skill; undefined if the URI is not one of the workbench. */
export function ownEntry(
  client: ServedClient,
  shown: ShownCatalogue,
  uri: string,
): Outcome | undefined {
  const skill = findOwn(client, shown, uri);
  return skill && result({ skill: entryOf(skill) });
}

/** What a directory contains; undefined if it is not one of the workbench. */
export function ownDirectory(
  client: ServedClient,
  shown: ShownCatalogue,
  uri: string,
): Outcome | undefined {
  if (!uri.startsWith(OWN_SKILLS)) return undefined;
  const files = skillsOf(client, shown).map((skill) => skill.uri);
  return directoryResult(childrenOf(uri, files));
}

export function readOwnSkill(client: ServedClient, shown: ShownCatalogue, uri: string): Outcome {
  const skill = findOwn(client, shown, uri);
  if (skill !== undefined)
    return result({ contents: [{ uri, mimeType: "text/markdown", text: skill.text }] });
  const error = { code: RPC.invalidParams, message: "Resource not found", data: { uri } };
  return { kind: "refusal", error };
}

/** The result of `resources/directory/read`; an error if there is nothing in the directory. */
export function directoryResult(resources: readonly JsonObject[]): Outcome {
  return resources.length > 0
    ? result({ resources })
    : refusal(RPC.invalidParams, "uri: This is not a directory of a skill");
}

function findOwn(client: ServedClient, shown: ShownCatalogue, uri: string): OwnSkill | undefined {
  if (!uri.startsWith(OWN_SKILLS)) return undefined;
  return skillsOf(client, shown).find((skill) => skill.uri === uri);
}

function skillsOf(client: ServedClient, { mode, settings }: ShownCatalogue): OwnSkill[] {
  const toolboxes = Array.from(client.scope.values(), ({ name, settings: box, servers }) => ({
    name,
    description: box.description,
    servers: [...servers.values()].filter((one) => !one.settings.disabled).map((one) => one.name),
  }));
  return ownSkills({
    use: mode === "dynamic" && client.era === "modern" ? "listed" : mode,
    hasScripts: offersScripts(settings.scripts, client.principal),
    toolboxes: toolboxes.filter(({ servers }) => servers.length > 0),
  });
}
