import type { ServerSettings, ToolOverride } from "../../config/types.ts";
import type { SeenTools } from "../../calls/visibility.ts";
import { isVisibleTo, pageOf } from "../../protocol/ui-extension.ts";
import { withMembers } from "../../wire/members.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { ReviewedTools } from "../definition-pins.ts";
import type { ListedItem } from "../requests/list-reader.ts";
import { SOURCE_KEY } from "../script-source.ts";
import { type ToolFilter, toolFilter } from "./tool-filter.ts";
import {
  type OverriddenItem,
  type ToolOverrides,
  overridden,
  overrideProblems,
} from "./tool-overrides.ts";
import { toolNames } from "./tool-renames.ts";

/** A tool as clients see it: as its server defined it, unless the configuration changes it. */
export interface ListedTool extends OverriddenItem {
  /** Its name for clients. */
  readonly name: string;
  /** Its name on its server. */
  readonly ownName: string;
  /** Its name on its server as JSON, ready to be sent. */
  readonly nameJson: string;
  /** Set if only what is approved of it may reach a model, which excludes `_meta` and icons. */
  readonly isEnforced?: boolean;
  /** Of a saved script: the digest of its source. */
  readonly version?: string | undefined;
}

const NO_OVERRIDES: ToolOverrides = {};
const NOT_REVIEWED: ReviewedTools = { withheld: new Map(), problems: [] };

/** The tools of one connection that its configuration shows. */
export class Catalogue {
  static readonly EMPTY = new Catalogue([], () => false);
  readonly tools: ReadonlyMap<string, ListedTool>;
  /** Why tools that the configuration shows are left out, by the names that clients would see. */
  readonly withheld: ReadonlyMap<string, string>;
  /** The tools that only pages of the server may use; undefined if there are none. */
  readonly appTools: SeenTools<ListedTool> | undefined;
  /** Whether a tool has a page. */
  readonly hasUi: boolean;
  /** All tools the server listed, before the configuration is applied. */
  readonly rawTools: readonly ListedItem[];
  /** Settings that do not match the server. */
  readonly problems: readonly string[];
  /** Equal for equal tools. */
  readonly fingerprint: string;

  constructor(
    listed: readonly ListedItem[],
    visible: ToolFilter,
    overrides: ToolOverrides = NO_OVERRIDES,
    reviewed: ReviewedTools = NOT_REVIEWED,
    /** Whether the tools are saved scripts, whose definitions have a part that is not for clients. */
    isScripts = false,
  ) {
    const own = new Map<string, ListedItem>();
    for (const item of listed) {
      const name = item.value["name"];
      // Of two tools with the same name the first is kept: the server itself could not distinguish
      // them.
      if (typeof name === "string" && name !== "" && visible(name) && !own.has(name))
        own.set(name, item);
    }
    const shown = [...own.keys()].filter((name) => overrideOf(overrides, name)?.hidden !== true);
    const { names, problems } = toolNames(shown, overrides);
    const tools = new Map<string, ListedTool>();
    const appTools = new Map<string, ListedTool>();
    let hasUi = false;
    const withheld = new Map<string, string>();
    const unseen: string[] = [];
    for (const ownName of shown) {
      const name = names.get(ownName);
      const item = own.get(ownName);
      if (name === undefined || item === undefined) continue;
      const reason = reviewed.withheld.get(ownName);
      if (reason !== undefined) {
        withheld.set(name, reason);
        unseen.push(item.text);
        continue;
      }
      const override = overrideOf(overrides, ownName);
      const given = isScripts ? withoutMember(item, SOURCE_KEY) : item;
      const version = isScripts ? String(item.value[SOURCE_KEY]) : undefined;
      const seen = override === undefined ? given : overridden(given, override, name);
      const nameJson = JSON.stringify(ownName);
      const isEnforced = reviewed.isEnforced === true;
      const more = { ...(version && { version }), ...(isEnforced && { isEnforced }) };
      const isForModel = isVisibleTo("model", item.value);
      hasUi ||= !isForModel || pageOf(item.value) !== undefined;
      (isForModel ? tools : appTools).set(name, { ...seen, name, ownName, nameJson, ...more });
    }
    this.tools = tools;
    this.appTools = appTools.size > 0 ? { tools: appTools } : undefined;
    this.hasUi = hasUi;
    this.withheld = withheld;
    this.rawTools = listed;
    this.problems = [...overrideProblems(overrides, listed), ...problems, ...reviewed.problems];
    // A tool that is left out may change, too.
    const printed = [...tools.values(), ...appTools.values()].map(printOf);
    this.fingerprint = [...printed, ...unseen].join("\n");
  }

  /** The definitions of the tools as clients see them. */
  get texts(): string[] {
    return Array.from(this.tools.values(), (tool) => tool.text);
  }

  /** The input schema of a tool as its server wrote it, by the server's own name. */
  ownSchemaOf(ownName: string): unknown {
    const tool = this.tools.get(ownName) ?? this.appTools?.tools.get(ownName);
    // Nearly all tools keep their server's name and schema.
    if (tool?.ownName === ownName && tool.pinned === undefined) return tool.value["inputSchema"];
    return this.rawTools.find(({ value }) => value["name"] === ownName)?.value["inputSchema"];
  }
}

/** The tools a server lists, with its settings applied. */
export function catalogueOf(
  listed: readonly ListedItem[],
  { toolFilters, overrides, transport }: CatalogueSettings,
  reviewed?: ReviewedTools,
): Catalogue {
  const isScripts = transport.kind === "scripts";
  return new Catalogue(listed, toolFilter(toolFilters), overrides, reviewed, isScripts);
}

type CatalogueSettings = Pick<ServerSettings, "toolFilters" | "overrides" | "transport">;

function withoutMember({ text }: ListedItem, key: string): ListedItem {
  const rest = withMembers(text, { [key]: undefined });
  return { text: rest, value: JSON.parse(rest) as JsonObject };
}

function printOf({ text, name, ownName, pinned, version }: ListedTool): string {
  if (name === ownName && pinned === undefined && version === undefined) return text;
  return `${text} ${JSON.stringify([ownName, pinned, version])}`;
}

function overrideOf(overrides: ToolOverrides, ownName: string): ToolOverride | undefined {
  return Object.hasOwn(overrides, ownName) ? overrides[ownName] : undefined;
}
