import { reasonOf, workbenchError } from "../errors.ts";
import { isSyntaxProblem } from "./editor.ts";
import type { Editor } from "./editor.ts";

/** The formats of configuration files that can be read and edited. */
export type Format = "json" | "jsonc" | "toml" | "yaml";

const EDITORS: Readonly<Record<Format, () => Promise<Editor>>> = {
  // Users write comments in plain JSON too, and most programs accept them.
  json: async () => (await import("./jsonc-edit.ts")).jsonc,
  jsonc: async () => (await import("./jsonc-edit.ts")).jsonc,
  toml: async () => (await import("./toml-edit.ts")).toml,
  yaml: async () => (await import("./yaml.ts")).yaml,
};

/** The editor of a format. Its parser is loaded on demand. */
export async function editorFor(format: Format): Promise<Editor> {
  return await EDITORS[format]();
}

/** The editor of a YAML list of named entries under a key. */
export async function listEditor(key: string): Promise<Editor> {
  return (await import("./yaml.ts")).namedList(key);
}

/** The format of a file, by its name. */
export function formatOf(file: string): Format {
  if (file.endsWith(".toml")) return "toml";
  return /\.ya?ml$/.test(file) ? "yaml" : "jsonc";
}

/** Runs an action that parses or edits a text, and names the file in the error if it fails. */
export function withFileContext<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!isSyntaxProblem(error)) throw error;
    const reason = reasonOf(error);
    throw workbenchError("FILE_INVALID", { file, at: error.at, reason }, undefined, error);
  }
}
