import { isAbsolute, join, resolve } from "node:path";

import { reasonOf } from "../errors.ts";
import { parseDotenv, variablesOf } from "../secrets/dotenv.ts";
import {
  readSecretsFile,
  SECRETS_FILE_NAME,
  type SecretsFileOptions,
} from "../secrets/secrets-file.ts";
import { isObject } from "../text/json.ts";
import { expandText, type Environment } from "./canonical/expand.ts";
import { expandHome } from "./directories.ts";
import type { Problem } from "./problems.ts";
import type { EnvFile } from "./types.ts";

/** The variables that the files of `envFiles` define for the references of a configuration. */
export interface FileVariables {
  /** The files in the order they are read, including a missing `secrets.env`. */
  readonly files: readonly EnvFile[];
  /** A later file wins. */
  readonly variables: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

export const NO_FILES: FileVariables = { files: [], variables: new Map(), problems: [] };

export interface EnvFilesContext {
  /** The configuration file; without one, there is no default. */
  readonly file: string | undefined;
  readonly baseDir: string;
  readonly home: string;
  readonly env: Environment;
}

/** Reads the files. A path in `envFiles` may itself refer to variables of the environment. */
export function readEnvFiles(config: unknown, context: EnvFilesContext): FileVariables {
  const named = isObject(config) ? config["envFiles"] : undefined;
  const files: EnvFile[] = [];
  const problems: Problem[] = [];
  const variables = new Map<string, string>();
  const read = (file: string, links: SecretsFileOptions["links"], at: Problem["path"]): void => {
    const report = (reason: string): unknown =>
      problems.push({ path: at, at: "value", message: `cannot use ${file}: ${reason}` });
    try {
      const text = readSecretsFile(file, { links });
      files.push({ file, links, text });
      if (text === undefined && at.length > 0) report("it does not exist");
      const found = parseDotenv(text ?? "");
      for (const { line, message } of found.problems) report(`line ${line} ${message}`);
      for (const [name, value] of variablesOf(found)) variables.set(name, value);
    } catch (error) {
      report(reasonOf(error));
    }
  };
  if (named === undefined) {
    if (context.file !== undefined) read(join(context.baseDir, SECRETS_FILE_NAME), "refuse", []);
  } else if (Array.isArray(named)) {
    for (const [index, path] of named.entries())
      // The schema reports anything else.
      if (typeof path === "string") read(absolute(path, context), "follow", ["envFiles", index]);
  }
  return { files, variables, problems };
}

// --- internal ---

function absolute(path: string, { baseDir, home, env }: EnvFilesContext): string {
  const expanded = expandHome(expandText(path, env, { used() {}, malformed() {} }), home);
  return isAbsolute(expanded) ? expanded : resolve(baseDir, expanded);
}
