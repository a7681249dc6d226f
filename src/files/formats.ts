import { reasonOf, workbenchError } from "../errors.ts";
import { isSyntaxProblem } from "./editing.ts";
import type { Editor } from "./editing.ts";

/** The formats of the configuration files we read and edit. */
export type Format = "json" | "jsonc" | "toml" | "yaml";

const EDITORS: Readonly<Record<Format, () => Promise<Editor>>> = {
  // Plain JSON may hold comments too: people write them, and most programs that read it let them.
  json: async () => (await import("./jsonc-edit.ts")).jsonc,
  jsonc: async () => (await import("./jsonc-edit.ts")).jsonc,
  toml: async () => (await import("./toml-edit.ts")).toml,
  yaml: async () => (await import("./yaml-edit.ts")).yaml,
};

/** The editor of a format; its parser is loaded now and not before. */
export async function editorFor(format: Format): Promise<Editor> {
  return await EDITORS[format]();
}

/** The format that a file name stands for. */
export function formatOf(file: string): Format {
  if (file.endsWith(".toml")) return "toml";
  return /\.ya?ml$/.test(file) ? "yaml" : "jsonc";
}

/** Runs something that reads or edits a text and names the file in whatever goes wrong. */
export function inFile<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!isSyntaxProblem(error)) throw error;
    const reason = reasonOf(error);
    throw workbenchError("FILE_INVALID", { file, at: error.at, reason }, undefined, error);
  }
}
