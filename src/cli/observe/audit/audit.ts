import { auditFolder } from "../../../audit/file-names.ts";
import { workbenchError } from "../../../errors.ts";
import { choices } from "../../../text/choices.ts";
import type { Context } from "../../core/command.ts";
import { auditFilter } from "./audit-filter.ts";
import { exportAudit } from "./export-audit.ts";
import { showAudit } from "./show-audit.ts";
import { showVerification } from "./show-verification.ts";

/** `audit`, `audit verify` and `audit export`. */
export async function audit(context: Context): Promise<number> {
  const { args } = context;
  const [action] = args.words;
  const isShown = action === undefined;
  if (!isShown && action !== "verify" && action !== "export")
    throw usage(`Unknown action '${action}'`, choices(action, ["verify", "export"]));
  for (const option of ["follow", "lines"])
    if (!isShown && (option === "follow" ? args.flag(option) : args.text(option) !== undefined))
      throw usage(`--${option} cannot be combined with '${action}'`);
  if (action !== "export" && args.text("format") !== undefined)
    throw usage("--format requires 'export'");
  const filter = auditFilter(args);
  const folder = auditFolder();
  if (isShown) return showAudit(context, folder, filter);
  if (action === "export") return exportAudit(context, folder, filter);
  if (filter.isActive) throw usage("'verify' checks all entries and takes no filters");
  return showVerification(context, folder);
}

function usage(reason: string, hint?: string): Error {
  return workbenchError("USAGE", { reason }, hint);
}
