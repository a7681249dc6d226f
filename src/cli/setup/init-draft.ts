import type { FoundFile } from "../../clients/read.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";
import { wrap } from "../output/layout.ts";
import { safeLine } from "../../text/safe-text.ts";
import { ARRANGE_HELP, arrange } from "./arrange.ts";
import { describeKept, draftBeside, withFreeNames } from "./current-config.ts";
import { type Draft, draftFrom } from "./draft.ts";
import { findFiles } from "./find-servers.ts";
import { askAboutProjectServers } from "./project-servers.ts";
import { showProposal, showToolboxes } from "./show-draft.ts";

/**
 * Finds the servers of the clients, proposes toolboxes and lets the user change them. Servers that
 * the current configuration has stay there.
 */
export async function proposeDraft(
  context: Context,
  current?: WorkbenchSettings,
): Promise<{ readonly files: readonly FoundFile[]; readonly draft: Draft }> {
  const { args, out } = context;
  const files = await findFiles(context);
  const { allowed, refused } = await askAboutProjectServers(context, files);
  const free = (draft: Draft): Draft =>
    current === undefined ? draft : withFreeNames(draft, current);
  const proposed =
    current === undefined
      ? await draftFrom(context, allowed, args.text("toolbox"))
      : await draftBeside(context, allowed, current);
  const draft = free({ ...proposed, skipped: [...refused, ...proposed.skipped] });
  const kept = current && describeKept(current, draft);
  showProposal(files, draft, { host: hostInfo(context), out, kept });
  return { files, draft: free(await askForChanges(context, draft)) };
}

async function askForChanges({ args, out, prompt }: Context, proposed: Draft): Promise<Draft> {
  if (!prompt.available || args.flag("yes") || args.flag("dry-run")) return proposed;
  if (proposed.toolboxes.length === 0) return proposed;
  out.say(`\n${wrap(`To change them, type: ${ARRANGE_HELP}`, out.noteWidth)}`);
  for (let draft = proposed; ;) {
    const line = await prompt.ask("Change something first?", "no");
    if (/^(no?|none|done)$/i.test(line)) return draft;
    const next = arrange(draft, line);
    if ("draft" in next) {
      draft = next.draft;
      showToolboxes(draft.toolboxes, out);
    } else out.say(wrap(safeLine(next.problem), out.noteWidth));
  }
}
