import type { ClientRow } from "../../clients/types.ts";
import type { Context } from "../core/command.ts";
import { wrap } from "../output/layout.ts";

/** Lets the user choose among clients; `suggested` are the indexes of those that Enter accepts. */
export async function askForClients(
  { out, prompt }: Pick<Context, "out" | "prompt">,
  clients: readonly ClientRow[],
  suggested: readonly number[] = [],
): Promise<readonly ClientRow[]> {
  const question = "Install the workbench into which clients? Enter numbers, 'all' or 'none'.";
  out.say(wrap(question, out.noteWidth));
  const labels = clients.map(({ label }) => label);
  const chosen = await prompt.choose("Clients:", labels, suggested);
  return clients.filter((_, index) => chosen.includes(index));
}
