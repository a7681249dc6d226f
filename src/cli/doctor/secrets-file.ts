import { chmod, lstat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { locateConfig } from "../../config/locate.ts";
import { isWorkbenchError } from "../../errors.ts";
import { SECRETS_FILE_NAME } from "../../secrets/secrets-file.ts";
import type { Context } from "../core/command.ts";
import type { Findings } from "./check.ts";

/** Checks that only the user can read `secrets.env`; the configuration cannot be used otherwise. */
export async function checkSecretsFile(context: Context, findings: Findings): Promise<void> {
  const config = ownConfig(context);
  if (config === undefined || process.getuid === undefined) return;
  const file = join(dirname(config), SECRETS_FILE_NAME);
  const found = await lstat(file).catch(() => undefined);
  const isOwn = found?.isFile() === true && found.uid === process.getuid();
  if (!isOwn || (found.mode & 0o077) === 0) return;
  await findings.repairable(
    {
      area: "config",
      subject: file,
      status: "error",
      message: "other users of this machine can access your secrets, so it is not read",
      fix: `chmod 600 ${file}`,
    },
    () => chmod(file, 0o600),
  );
}

/** The configuration, unless it comes with the current folder: then it may not be trusted. */
function ownConfig({ args, env, cwd }: Context): string | undefined {
  try {
    const { file, fromCurrentFolder } = locateConfig({ file: args.text("config"), env, cwd });
    return fromCurrentFolder ? undefined : file;
  } catch (error) {
    // The check of the configuration reports it.
    if (isWorkbenchError(error)) return undefined;
    throw error;
  }
}
