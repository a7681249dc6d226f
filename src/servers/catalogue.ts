import type { ListedItem } from "./ask.ts";
import type { ToolFilter } from "./tool-filter.ts";

/** A tool as its server defined it. */
export interface ListedTool extends ListedItem {
  readonly name: string;
  /** The name as JSON, ready to be sent. */
  readonly nameJson: string;
}

/** The tools of one connection that its configuration lets through. */
export class Catalogue {
  static readonly EMPTY = new Catalogue([], () => false);
  readonly tools: ReadonlyMap<string, ListedTool>;
  /** Equal for equal tools. */
  readonly fingerprint: string;

  constructor(listed: readonly ListedItem[], visible: ToolFilter) {
    const tools = new Map<string, ListedTool>();
    for (const item of listed) {
      const name = item.value["name"];
      // Of two tools with one name the first is kept: the server itself could not tell them apart.
      if (typeof name === "string" && name !== "" && visible(name) && !tools.has(name))
        tools.set(name, { ...item, name, nameJson: JSON.stringify(name) });
    }
    this.tools = tools;
    this.fingerprint = Array.from(tools.values(), (tool) => tool.text).join("\n");
  }
}
