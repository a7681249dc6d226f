import { updatedDescription } from "../../clients/describe.ts";
import { editing } from "../../clients/plan.ts";
import { ENABLED_KEYS } from "../../config/canonical/aliases.ts";
import { withFileContext } from "../../files/formats.ts";
import { readText } from "../../files/text-file.ts";
import { asText, entriesOf, valueAt } from "../../text/json.ts";

type Jsonc = typeof import("../../files/jsonc-edit.ts");

/**
 * The text of a configuration. Edits keep comments and formatting. Generated descriptions of toolboxes
 * follow the names of their servers, and a toolbox that loses its last server is removed.
 */
export class ConfigText {
  readonly file: string;
  /** Undefined when there is no such file. */
  readonly before: string | undefined;
  readonly #edits: Jsonc;
  #text: string;

  private constructor(file: string, before: string | undefined, edits: Jsonc) {
    this.file = file;
    this.before = before;
    this.#edits = edits;
    this.#text = before ?? "";
  }

  static async read(file: string): Promise<ConfigText> {
    const edits = await import("../../files/jsonc-edit.ts");
    const text = new ConfigText(file, await readText(file), edits);
    withFileContext(file, () => edits.jsonc.parse(text.after));
    return text;
  }

  get after(): string {
    return this.#text;
  }

  /** The toolboxes and their servers in the text. */
  get toolboxes(): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map(
      entriesOf(this.#valueAt(["toolboxes"])).map(([name, box]) => {
        const servers = entriesOf(valueAt(box, ["mcpServers"]));
        return [name, new Set(servers.map(([server]) => server))];
      }),
    );
  }

  /** The variables that the configuration refers to. */
  get variables(): ReadonlySet<string> {
    const names = this.#text.matchAll(/\$\{(?:env:)?([A-Za-z_]\w*)/g);
    return new Set(Array.from(names, ([, name = ""]) => name));
  }

  /** An entry as it is written. */
  entryOf(toolbox: string, server: string): unknown {
    return this.#valueAt(pathOf(toolbox, server));
  }

  /** Adds or replaces a server; creates its toolbox with the description if needed. */
  setServer(toolbox: string, description: string, server: string, entry: unknown): void {
    this.#addToolbox(toolbox, description);
    this.#updating([toolbox], () => this.#set(pathOf(toolbox, server), entry));
  }

  /** Replaces a text in an entry; the path names settings, and positions in lists. */
  setText(toolbox: string, server: string, path: readonly string[], text: string): void {
    this.#set([...pathOf(toolbox, server), ...path], text);
  }

  /** Removes a server, or a toolbox with all of its servers. */
  remove(toolbox: string, server?: string): void {
    if (server === undefined) this.#remove(["toolboxes", toolbox]);
    else this.#updating([toolbox], () => this.#remove(pathOf(toolbox, server)));
  }

  /** Moves a server to another toolbox, which is created with the description if needed. */
  move(from: string, server: string, to: string, description: string): void {
    this.#addToolbox(to, description);
    const target = pathOf(to, server);
    this.#updating([from, to], () => {
      this.#edit(target, () => this.#edits.moveKey(this.#text, pathOf(from, server), target));
    });
  }

  /** Renames a server, or a toolbox. */
  rename(toolbox: string, server: string | undefined, name: string): void {
    if (server === undefined) this.#rename(["toolboxes", toolbox], name);
    else this.#updating([toolbox], () => this.#rename(pathOf(toolbox, server), name));
  }

  /** Switches a server off or on. */
  setDisabled(toolbox: string, server: string, disabled: boolean): void {
    const entry = pathOf(toolbox, server);
    // Some clients write the opposite, under names of their own.
    for (const opposite of ENABLED_KEYS) this.#remove([...entry, opposite]);
    if (disabled) this.#set([...entry, "disabled"], true);
    else this.#remove([...entry, "disabled"]);
  }

  /** Runs an edit of the servers of some toolboxes, then updates their descriptions. */
  #updating(names: readonly string[], edit: () => void): void {
    const before = this.toolboxes;
    edit();
    for (const name of names) {
      const servers = [...(this.toolboxes.get(name) ?? [])];
      if (servers.length === 0) {
        this.#remove(["toolboxes", name]);
        continue;
      }
      const path = ["toolboxes", name, "description"];
      const old = asText(this.#valueAt(path));
      const description = updatedDescription(old, [...(before.get(name) ?? [])], servers);
      if (description !== old) this.#set(path, description);
    }
  }

  #addToolbox(name: string, description: string): void {
    if (!this.toolboxes.has(name)) this.#set(["toolboxes", name], { description, mcpServers: {} });
  }

  #valueAt(path: readonly string[]): unknown {
    return valueAt(this.#edits.jsonc.parse(this.#text), path);
  }

  #set(path: readonly string[], value: unknown): void {
    this.#edit(path, () => this.#edits.jsonc.set(this.#text, path, value), value);
  }

  #remove(path: readonly string[]): void {
    this.#edit(path, () => this.#edits.jsonc.remove(this.#text, path));
  }

  #rename(path: readonly string[], name: string): void {
    this.#edit(path, () => this.#edits.renameKey(this.#text, path, name));
  }

  #edit(path: readonly string[], edit: () => string, value?: unknown): void {
    this.#text = editing(this.file, this.#edits.jsonc, path, value, edit);
  }
}

const pathOf = (toolbox: string, server: string): readonly string[] => [
  "toolboxes",
  toolbox,
  "mcpServers",
  server,
];
