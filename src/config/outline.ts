import type { ToolMode } from "./types.ts";
import { isObject, parseJson } from "../text/json.ts";

/** All that the text about a toolbox depends on. */
export interface ToolboxOutline {
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly servers: ReadonlyMap<string, { readonly disabled: boolean }>;
}

/** The part of a configuration that the answer to `initialize` describes. */
export interface ConfigOutline {
  readonly toolMode: ToolMode;
  /** Whether clients may be unable to see some tools. */
  readonly hasPolicy: boolean;
  readonly toolboxes: readonly ToolboxOutline[];
}

/**
 * Reads the outline of a configuration without checking the rest. Returns undefined for anything out
 * of the ordinary, such as a comment or a variable in a description.
 */
export function outlineOf(text: string): ConfigOutline | undefined {
  const config = parseJson(text);
  if (!isObject(config) || !isObject(config["toolboxes"])) return undefined;
  const { toolMode = "proxy", toolboxes } = config;
  if (toolMode !== "proxy" && toolMode !== "dynamic") return undefined;
  let hasPolicy = "policy" in config;
  const outlines: ToolboxOutline[] = [];
  for (const [name, box] of Object.entries(toolboxes as object)) {
    if (!isObject(box) || !isObject(box["mcpServers"])) return undefined;
    const { description, keywords = [], mcpServers } = box;
    if (!isPlain(description) || !Array.isArray(keywords) || !keywords.every(isPlain))
      return undefined;
    const servers = new Map<string, { disabled: boolean }>();
    hasPolicy ||= "policy" in box;
    for (const [server, entry] of Object.entries(mcpServers as object)) {
      // Whether saved scripts are disabled depends on another setting.
      if (!isObject(entry) || ("scripts" in entry && "scripts" in config)) return undefined;
      const { disabled = false, enabled = true } = entry;
      hasPolicy ||= "policy" in entry;
      if (typeof disabled !== "boolean" || typeof enabled !== "boolean") return undefined;
      servers.set(server, { disabled: disabled || !enabled });
    }
    outlines.push({ name, description, keywords, servers });
  }
  return { toolMode, hasPolicy, toolboxes: outlines };
}

function isPlain(value: unknown): value is string {
  return typeof value === "string" && !value.includes("$");
}
