import type { FoundFile } from "../../clients/read.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";
import { wrap } from "../output/layout.ts";
import { safeLine } from "../../text/safe-text.ts";
import { ARRANGE_HELP, arrange } from "./arrange.ts";
import { type Draft, draftFrom } from "./draft.ts";
import { findFiles } from "./find-servers.ts";
import { askAboutProjectServers } from "./project-servers.ts";
import { showProposal, showToolboxes } from "./show-draft.ts";

/** Finds the servers of the clients, proposes toolboxes and lets the user change them. */
export async function proposeDraft(
  context: Context,
): Promise<{ readonly files: readonly FoundFile[]; readonly draft: Draft }> {
  const { args, out } = context;
  const files = await findFiles(context);
  const { allowed, refused } = await askAboutProjectServers(context, files);
  const { toolboxes, skipped } = await draftFrom(context, allowed, args.text("toolbox"));
  const draft: Draft = { toolboxes, skipped: [...refused, ...skipped] };
  showProposal(files, draft, hostInfo(context), out);
  return { files, draft: await askForChanges(context, draft) };
}

// --- internal ---

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
