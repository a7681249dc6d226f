import { isAbsolute, join, resolve } from "node:path";

import { reasonOf, workbenchError, type WorkbenchError } from "../errors.ts";
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
  /** Problems with the files that `envFiles` names. */
  readonly problems: readonly Problem[];
  /** A problem with `secrets.env`, which the configuration does not name. */
  readonly failure: WorkbenchError | undefined;
}

export const NO_FILES: FileVariables = {
  files: [],
  variables: new Map(),
  problems: [],
  failure: undefined,
};

export interface EnvFilesContext {
  /** The configuration file; without one, there is no default. */
  readonly file: string | undefined;
  readonly baseDir: string;
  readonly home: string;
  readonly env: Environment;
}

/** Where the variables of a configuration are, and where the file is named in it. */
export interface EnvFilePath extends SecretsFileOptions {
  readonly file: string;
  /** Empty for `secrets.env`, which need not exist. */
  readonly at: Problem["path"];
}

/** The files to read. A path in `envFiles` may itself refer to variables of the environment. */
export function envFilePaths(config: unknown, context: EnvFilesContext): readonly EnvFilePath[] {
  const named = isObject(config) ? config["envFiles"] : undefined;
  if (named === undefined && context.file !== undefined)
    return [{ file: join(context.baseDir, SECRETS_FILE_NAME), links: "refuse", at: [] }];
  // The schema reports anything else than a list of texts.
  const list: readonly unknown[] = Array.isArray(named) ? named : [];
  return list.flatMap((path, index) =>
    typeof path === "string"
      ? [{ file: absolute(path, context), links: "follow", at: ["envFiles", index] }]
      : [],
  );
}

export function readEnvFiles(config: unknown, context: EnvFilesContext): FileVariables {
  const files: EnvFile[] = [];
  const problems: Problem[] = [];
  let failure: WorkbenchError | undefined;
  const variables = new Map<string, string>();
  for (const { file, links, at } of envFilePaths(config, context)) {
    const report = (reason: string): void => {
      if (at.length === 0) failure ??= workbenchError("FILE_INVALID", { file, at: "", reason });
      else problems.push({ path: at, at: "value", message: `cannot use ${file}: ${reason}` });
    };
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
  }
  return { files, variables, problems, failure };
}

function absolute(path: string, { baseDir, home, env }: EnvFilesContext): string {
  const expanded = expandHome(
    expandText(path, env, { used() {}, refersTo() {}, malformed() {} }),
    home,
  );
  return isAbsolute(expanded) ? expanded : resolve(baseDir, expanded);
}
