import type { ToolClass } from "../../calls/decision.ts";
import type { CallableTool } from "../../calls/destination.ts";
import type { ServerSettings } from "../../config/types.ts";
import { type JsonObject, isObject } from "../../text/json.ts";

/** What rules can know about a tool before it is called. */
export interface ToolFacts {
  /** `server/tool`, in the names that clients see. */
  readonly label: string;
  readonly toolClass: ToolClass;
  readonly openWorld: boolean;
  /** Arguments whose values the configuration fixes. */
  readonly pinned?: JsonObject | undefined;
}

type FactSettings = Pick<ServerSettings, "name" | "overrides" | "annotations">;

/** The facts of a tool that its server lists; `name` is its name for clients. */
export function factsOf(name: string, tool: CallableTool, settings: FactSettings): ToolFacts {
  const ownName = JSON.parse(tool.nameJson) as string;
  return {
    label: `${settings.name}/${name}`,
    toolClass: classOf(ownName, tool.value, settings),
    openWorld: isOpenWorld(tool.value, settings),
    pinned: tool.pinned,
  };
}

/** The facts of a tool whose definition does not count: only the configuration says what it is. */
export function factsOfUnknown(name: string, { name: server, overrides }: FactSettings): ToolFacts {
  const override = Object.entries(overrides).find(([own, { name: given = own }]) => given === name);
  const toolClass = override?.[1].class ?? "destructive";
  return { label: `${server}/${name}`, toolClass, openWorld: true };
}

/**
 * The class of a tool. What a server states about it counts only if the server is trusted, because
 * otherwise every server could make its tools look harmless.
 */
export function classOf(
  ownName: string,
  definition: JsonObject,
  { overrides, annotations }: FactSettings,
): ToolClass {
  const own = Object.hasOwn(overrides, ownName) ? overrides[ownName]?.class : undefined;
  if (own !== undefined) return own;
  if (annotations !== "trust") return "destructive";
  const hints = hintsOf(definition);
  if (hints["readOnlyHint"] === true) return "read";
  return hints["destructiveHint"] === false ? "write" : "destructive";
}

function isOpenWorld(definition: JsonObject, { annotations }: FactSettings): boolean {
  return annotations !== "trust" || hintsOf(definition)["openWorldHint"] !== false;
}

function hintsOf({ annotations }: JsonObject): JsonObject {
  return isObject(annotations) ? annotations : {};
}
