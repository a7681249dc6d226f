import { type ChainReport, verifyAudit } from "../../../audit/verify.ts";
import { EXIT } from "../../../errors.ts";
import type { Context } from "../../core/command.ts";
import { hostInfo, shortPath } from "../../core/host-info.ts";
import { plural } from "../../output/layout.ts";

/** `audit verify`: whether entries were changed or removed. */
export async function showVerification(context: Context, folder: string): Promise<number> {
  const { out } = context;
  const chains = verifyAudit(folder);
  const broken = chains.filter(({ firstBreak }) => firstBreak !== undefined);
  const entries = chains.reduce((sum, chain) => sum + chain.entries, 0);
  out.document({ folder, isIntact: broken.length === 0, entries, chains: chains.map(documentOf) });
  const { green, red } = out.style;
  for (const { firstBreak } of broken) {
    if (firstBreak === undefined) continue;
    const { file, line, reason } = firstBreak;
    out.print(`${red("✗")} ${file}${line === undefined ? "" : `:${line}`}: ${reason}`);
  }
  const place = shortPath(folder, hostInfo(context));
  const found = `${plural(entries, "entry", "entries")} of ${plural(chains.length, "process", "processes")} in ${place}`;
  if (broken.length === 0) out.print(`${green("✓")} ${found}: no entry was changed or removed`);
  else out.print(`${found}: ${plural(broken.length, "chain is", "chains are")} broken`);
  return broken.length === 0 ? EXIT.ok : EXIT.unexpected;
}

function documentOf({ run, files, entries, isShortened, last, firstBreak }: ChainReport): object {
  return { run, files, entries, isShortened, last, firstBreak: firstBreak ?? null };
}
