import { editing } from "../../clients/plan.ts";
import { type Editor } from "../../files/editor.ts";
import { isObject, valueAt } from "../../text/json.ts";
import { editorFor, withFileContext } from "../../files/formats.ts";
import { readText } from "../../files/text-file.ts";

/** The text of a configuration. Edits keep comments and formatting. */
export class ConfigText {
  readonly file: string;
  /** Undefined when there is no such file. */
  readonly before: string | undefined;
  readonly #editor: Editor;
  #text: string;

  private constructor(file: string, before: string | undefined, editor: Editor) {
    this.file = file;
    this.before = before;
    this.#editor = editor;
    this.#text = before ?? "";
  }

  static async read(file: string): Promise<ConfigText> {
    const editor = await editorFor("jsonc");
    const text = new ConfigText(file, await readText(file), editor);
    withFileContext(file, () => editor.parse(text.after));
    return text;
  }

  get after(): string {
    return this.#text;
  }

  /** The toolboxes and their servers in the text. */
  get toolboxes(): ReadonlyMap<string, ReadonlySet<string>> {
    const boxes = valueAt(this.#editor.parse(this.#text), ["toolboxes"]);
    if (!isObject(boxes)) return new Map();
    return new Map(
      Object.entries(boxes).map(([name, box]) => {
        const servers = valueAt(box, ["mcpServers"]);
        return [name, new Set(isObject(servers) ? Object.keys(servers) : [])];
      }),
    );
  }

  /** The variables that the configuration refers to. */
  get variables(): ReadonlySet<string> {
    const names = this.#text.matchAll(/\$\{(?:env:)?([A-Za-z_]\w*)/g);
    return new Set(Array.from(names, ([, name = ""]) => name));
  }

  /** Adds or replaces a server; creates its toolbox with the description if needed. */
  setServer(toolbox: string, description: string, server: string, entry: unknown): void {
    if (this.toolboxes.has(toolbox)) this.#set(["toolboxes", toolbox, "mcpServers", server], entry);
    else this.#set(["toolboxes", toolbox], { description, mcpServers: { [server]: entry } });
  }

  remove(toolbox: string, server?: string): void {
    const path =
      server === undefined ? ["toolboxes", toolbox] : ["toolboxes", toolbox, "mcpServers", server];
    this.#text = editing(this.file, this.#editor, path, undefined, () =>
      this.#editor.remove(this.#text, path),
    );
  }

  #set(path: readonly string[], value: unknown): void {
    this.#text = editing(this.file, this.#editor, path, value, () =>
      this.#editor.set(this.#text, path, value),
    );
  }
}
