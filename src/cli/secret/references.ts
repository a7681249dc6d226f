import { editorFor, withFileContext } from "../../files/formats.ts";
import type { SecretStore } from "../../secrets/store.ts";
import { entriesOf, valueAt } from "../../text/json.ts";

/** A variable or keychain entry that a configuration refers to. */
export interface Reference {
  readonly name: string;
  readonly place: SecretStore["kind"];
  /** The servers that use it, as `toolbox/server`; empty if it is used elsewhere. */
  readonly usedBy: readonly string[];
}

const REFERENCE = /(?<!\$)\$\{(?!file:|command:)(?:env:|(keychain:))?([A-Za-z_]\w*)(:-)?/g;

/** The references of a configuration that have no default. */
export async function referencesIn(config: {
  readonly file: string;
  readonly text: string;
}): Promise<readonly Reference[]> {
  const { parse } = await editorFor("jsonc");
  const document = withFileContext(config.file, () => parse(config.text));
  const found = new Map<string, { name: string; place: SecretStore["kind"]; usedBy: string[] }>();
  const collect = (value: unknown, server: string | undefined): void => {
    for (const [, keychain, name = "", fallback] of JSON.stringify(value ?? null).matchAll(
      REFERENCE,
    )) {
      if (fallback !== undefined) continue;
      const place = keychain === undefined ? "env-file" : "keychain";
      const key = `${place}:${name}`;
      const known = found.get(key) ?? { name, place, usedBy: [] };
      found.set(key, known);
      if (server !== undefined && !known.usedBy.includes(server)) known.usedBy.push(server);
    }
  };
  for (const [toolbox, box] of entriesOf(valueAt(document, ["toolboxes"])))
    for (const [server, entry] of entriesOf(valueAt(box, ["mcpServers"])))
      collect(entry, `${toolbox}/${server}`);
  collect(document, undefined);
  return [...found.values()];
}
