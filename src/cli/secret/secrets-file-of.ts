import { dirname } from "node:path";

import type { Environment } from "../../config/canonical/expand.ts";
import { homeDir, thisMachine } from "../../config/directories.ts";
import { envFilePaths } from "../../config/env-files.ts";
import { workbenchError } from "../../errors.ts";
import { editorFor, withFileContext } from "../../files/formats.ts";

/** The file that new secrets of a configuration are written to. */
export interface SecretsFile {
  readonly file: string;
  /** Whether it may be a symbolic link. */
  readonly links?: "follow" | "refuse";
}

/** The first of the configuration's `envFiles`, or `secrets.env` in its folder. */
export async function secretsFileOf(
  config: { readonly file: string; readonly text: string },
  env: Environment,
): Promise<SecretsFile> {
  const { file, text } = config;
  const { parse } = await editorFor("jsonc");
  const document = withFileContext(file, () => parse(text));
  const context = { file, baseDir: dirname(file), home: homeDir(thisMachine(env)), env };
  const [first] = envFilePaths(document, context);
  if (first !== undefined) return first;
  const reason = `"envFiles" in ${file} is empty, so secrets in a file would not be read`;
  throw workbenchError("USAGE", { reason }, "Name a file there, or use --keychain");
}
