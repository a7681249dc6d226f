import { thisMachine } from "../../config/directories.ts";
import { configDiff } from "../../config/edits/config-edits.ts";
import { fingerprint } from "../../files/splice.ts";
import type { DashboardContext } from "../context.ts";
import type { Proposal } from "../contract.ts";
import { newEffects } from "./new-effects.ts";
import { type StoredProposal, proposalsFile, readProposals } from "./proposals.ts";

/** The changes of a file that wait, as far as the file is still the one they change. */
export async function shownProposals(
  { env }: DashboardContext,
  file: string,
  text: string,
): Promise<readonly Proposal[]> {
  const stored = readProposals(proposalsFile(thisMachine(env)));
  const version = fingerprint(text);
  const open = stored.filter((one) => one.file === file && one.before === version);
  return Promise.all(open.map((one) => shownProposal(one, text)));
}

export async function shownProposal(stored: StoredProposal, text: string): Promise<Proposal> {
  const { id, file, after, createdAt, expiresAt } = stored;
  return {
    id,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    diff: await configDiff(file, text, after),
    confirm: await newEffects(file, text, after),
    command: `mcp-workbench dashboard confirm ${id}`,
  };
}
