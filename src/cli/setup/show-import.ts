import type { Skipped } from "../../clients/propose.ts";
import type { FoundFile } from "../../clients/read.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";
import { type Draft, serversOf } from "./draft.ts";
import { showFound, showSkipped } from "./show-draft.ts";

/** Shows the files with servers that will be added, and why others are left out. */
export function showNew(
  context: Context,
  files: readonly FoundFile[],
  { toolboxes }: Draft,
  skipped: readonly Skipped[],
): void {
  const { out } = context;
  const added = serversOf(toolboxes).flatMap(({ from }) => from);
  const withNew = files.map((file) => ({
    ...file,
    servers: file.servers.filter((server) => added.includes(server)),
  }));
  showFound(withNew, hostInfo(context), out);
  // The workbench's own entry is not worth reporting.
  showSkipped(
    skipped.filter(({ server }) => !server.isWorkbench),
    out,
  );
}

/** The answer if all entries were imported before. */
export function nothingNew(known: number): string {
  if (known === 0) return "Nothing new to import.";
  const are = known === 1 ? "entry is" : "entries are";
  return `Nothing new to import: ${known} ${are} already in the configuration.`;
}
