import type { MovedSecret } from "../../clients/move-secrets.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";

/**
 * Whether to copy secrets into the configuration. Only if the user chooses so: otherwise they are
 * replaced with references to variables.
 */
export async function keepSecrets(
  { args, out, prompt }: Context,
  moved: readonly MovedSecret[],
): Promise<boolean> {
  if (moved.length === 0) return false;
  if (args.flag("keep-secrets")) return true;
  if (!prompt.available || args.flag("yes")) return false;
  out.say(`\n${plural(moved.length, "secret")} found in plain text:`);
  for (const { variable, uses } of moved) out.say(`  ${variable}  (${uses.join(", ")})`);
  return !(await prompt.confirm(
    "Replace them with variables of these names instead of copying them?",
    true,
  ));
}
