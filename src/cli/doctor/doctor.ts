import { EXIT } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";
import type { Output } from "../output/output.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";
import { readSeconds } from "../core/seconds.ts";
import { AREAS, type Check, Findings } from "./check.ts";
import { checkClients } from "./clients.ts";
import { checkConfig } from "./config.ts";
import { checkFiles } from "./files.ts";
import { checkRuntime } from "./runtime.ts";
import { checkSecretsFile } from "./secrets-file.ts";
import { checkSecretReferences } from "./secret-references.ts";
import { checkServers } from "./servers.ts";
import { checkSignIns } from "./sign-ins.ts";

const START_SECONDS = 30;

/** `doctor [--fix]` */
export async function doctor(context: Context): Promise<number> {
  const { args, out } = context;
  const timeoutMs = readSeconds(args.text("timeout"), START_SECONDS);
  const findings = new Findings(args.flag("fix"));
  checkRuntime(findings);
  await checkSecretsFile(context, findings);
  const settings = await checkConfig(context, findings);
  if (settings !== undefined) await checkSecretReferences(context, settings, findings);
  if (settings !== undefined && !args.flag("no-connect"))
    await checkServers(context, settings, timeoutMs, findings);
  if (settings !== undefined) await checkSignIns(context, settings, findings);
  await checkClients(context, settings, findings, args.flag("no-connect") ? undefined : timeoutMs);
  await checkFiles(context, findings);
  const { checks } = findings;
  const errors = checks.filter(({ status }) => status === "error");
  out.document({ ok: errors.length === 0, checks });
  render(checks, out);
  return exitCode(errors);
}

// --- internal ---

/** A problem with the configuration takes precedence: the others may follow from it. */
function exitCode(errors: readonly Check[]): number {
  const has = (area: Check["area"]): boolean => errors.some((check) => check.area === area);
  if (errors.length === 0) return EXIT.ok;
  if (has("config")) return EXIT.config;
  return has("servers") ? EXIT.serverUnavailable : EXIT.unexpected;
}

function render(checks: readonly Check[], out: Output): void {
  const { style } = out;
  const signs = {
    ok: style.green("✓"),
    warning: style.yellow("!"),
    error: style.red("✗"),
    fixed: style.green("✓ fixed:"),
  };
  for (const area of AREAS) {
    const own = checks.filter((check) => check.area === area);
    if (own.length === 0) continue;
    out.print(style.bold(`${area[0]?.toUpperCase()}${area.slice(1)}`));
    for (const { subject, status, message, fix, lastOutput = [] } of own) {
      const [first = "", ...more] = safeText(message).split("\n");
      out.print(`  ${signs[status]} ${safeLine(subject)}: ${first}`);
      for (const line of more) out.print(`    ${line}`);
      for (const line of lastOutput) out.print(style.dim(`      | ${safeLine(line)}`));
      if (fix !== undefined && status !== "ok")
        out.print(`    → ${safeText(fix).replaceAll("\n", "\n      ")}`);
    }
  }
  const count = (status: Check["status"]): number =>
    checks.filter((check) => check.status === status).length;
  const [errors, warnings] = [count("error"), count("warning")];
  out.print(
    errors + warnings === 0
      ? style.green("\nEverything is in order.")
      : `\n${plural(errors, "problem")}, ${plural(warnings, "warning")}.`,
  );
}
