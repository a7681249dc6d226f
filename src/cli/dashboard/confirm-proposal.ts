import { thisMachine } from "../../config/directories.ts";
import { applyConfig, configDiff } from "../../config/edits/config-edits.ts";
import { newEffects } from "../../dashboard/config/new-effects.ts";
import { proposalsFile, readProposals, takeProposal } from "../../dashboard/config/proposals.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { fingerprint } from "../../files/splice.ts";
import { readText } from "../../files/text-file.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";
import type { Context } from "../core/command.ts";
import { planConfig } from "../setup/config-file.ts";
import { reportWritten } from "../setup/report-written.ts";

/** Shows a change that was made in the dashboard, asks, and makes it. */
export async function confirmProposal(context: Context, id: string): Promise<number> {
  const { args, env, out, prompt } = context;
  const store = proposalsFile(thisMachine(env));
  const proposal = readProposals(store).find((one) => one.id === id.toUpperCase());
  if (proposal === undefined)
    throw workbenchError(
      "USAGE",
      { reason: `No change with the id '${safeLine(id)}' waits for you` },
      "Changes are kept for an hour. Make it again in the dashboard",
    );
  const { file, before, after } = proposal;
  const text = (await readText(file)) ?? "";
  if (fingerprint(text) !== before)
    throw workbenchError("FILE_CHANGED", { file }, "Make the change again in the dashboard");
  if (!args.flag("yes") && !prompt.available)
    throw workbenchError("USAGE", { reason: "Without a terminal, --yes is required" });
  const diff = await configDiff(file, text, after);
  out.say(`This change of ${safeLine(file)} would:`);
  for (const line of await newEffects(file, text, after)) out.say(`  ${line}`);
  out.say("Programs run with your permissions, and so does everything they start.");
  out.say(safeText(diff.trimEnd()));
  const agreed = args.flag("yes") || (await prompt.confirm("Do you want this change?", false));
  let backup: string | undefined;
  if (agreed) {
    // Only now is anything read that the new text names.
    const planned = await planConfig(context, file, text, after);
    backup = await applyConfig(context, planned, "dashboard");
    await takeProposal(store, proposal.id);
    reportWritten(context, file);
  } else out.say("Nothing was changed.");
  out.document({ file, changed: agreed, diff, backup: backup ?? null });
  return EXIT.ok;
}
