import { workbenchError } from "../../errors.ts";
import { installBundle, removeInstalled } from "../../offers/bundles/install-bundle.ts";
import { removeLeftovers } from "../../offers/bundles/leftovers.ts";
import { isNotRunnable } from "../../offers/offer.ts";
import { shellWords } from "../../text/shell-words.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { type FoundOffer, bundlesFolder, invalidBundle, refusalOf } from "./find-offer.ts";
import { hasProgram } from "./has-program.ts";

/** Unpacks the bundle, then changes the configuration; removes the files again if that fails. */
export async function addUnpacked<T extends { readonly changed: boolean }>(
  { args, env, out, signal }: Context,
  { bundle, offer, file }: FoundOffer,
  change: () => Promise<T>,
): Promise<T> {
  if (bundle === undefined || args.flag("dry-run")) return change();
  await removeLeftovers(bundlesFolder({ env }));
  const { folder, content } = bundle;
  const installed = await installBundle(folder, content, offer.runs?.command, signal).catch(
    (error: unknown) => {
      throw file !== undefined && isNotRunnable(error)
        ? invalidBundle(file, error)
        : refusalOf(offer.name, error);
    },
  );
  if (installed === "changed")
    out.warn(
      `Its files were changed after they were unpacked. To restore them: ${shellWords(["rm", "-r", folder])}, then add it again with --force`,
    );
  try {
    return await change();
  } catch (error) {
    if (installed === "new") await removeInstalled(bundle.folder);
    throw error;
  }
}

/** Refuses a bundle whose program is neither in it nor on this machine. */
export function requireProgram({ env }: Pick<Context, "env">, { offer, bundle }: FoundOffer): void {
  const { command } = offer.runs ?? {};
  if (bundle === undefined || command === undefined || hasProgram(command, env)) return;
  if (command.startsWith(bundle.folder)) return;
  const reason = `${command} was not found on the PATH`;
  throw workbenchError("CANNOT_ADD", { name: visible(offer.name), reason });
}
