import type { MovedSecret } from "../../clients/move-secrets.ts";
import type { Context } from "../command.ts";
import { plural } from "../output/layout.ts";

/**
 * Whether literal secrets are copied into the configuration. Only ever because somebody said so:
 * otherwise they become references to variables.
 */
export async function keepSecrets(
  { args, out, prompt }: Context,
  moved: readonly MovedSecret[],
): Promise<boolean> {
  if (moved.length === 0) return false;
  if (args.flag("keep-secrets")) return true;
  if (!prompt.available || args.flag("yes")) return false;
  out.say(`\n${plural(moved.length, "literal secret")} found:`);
  for (const { variable, uses } of moved) out.say(`  ${variable}  (${uses.join(", ")})`);
  return !(await prompt.confirm(
    "Refer to variables of these names instead of copying them?",
    true,
  ));
}
