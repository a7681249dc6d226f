import { EXIT } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { readSeconds } from "../core/seconds.ts";
import { type Check, Findings } from "./check.ts";
import { checkClients } from "./clients.ts";
import { checkConfig } from "./config.ts";
import { checkFiles } from "./files.ts";
import { renderChecks } from "./render-checks.ts";
import { checkRuntime } from "./runtime.ts";
import { checkSandboxes } from "./sandboxes.ts";
import { checkSecretsFile } from "./secrets-file.ts";
import { checkSecretReferences } from "./secret-references.ts";
import { checkServers } from "./servers.ts";
import { checkSignIns } from "./sign-ins.ts";
import { checkTokens } from "./tokens.ts";

const START_SECONDS = 30;

/** `doctor [--fix]` */
export async function doctor(context: Context): Promise<number> {
  const { args, out } = context;
  const timeoutMs = readSeconds(args.text("timeout"), START_SECONDS);
  const findings = new Findings(args.flag("fix"));
  checkRuntime(findings);
  await checkSecretsFile(context, findings);
  const settings = await checkConfig(context, findings);
  await checkSandboxes(settings, findings);
  if (settings !== undefined) await checkSecretReferences(context, settings, findings);
  if (settings?.cluster !== undefined) {
    const { checkCluster } = await import("./cluster.ts");
    await checkCluster(settings, !args.flag("no-connect"), findings);
  }
  if (settings !== undefined && !args.flag("no-connect"))
    await checkServers(context, settings, timeoutMs, findings);
  if (settings !== undefined) await checkSignIns(context, settings, findings);
  checkTokens(context, settings, findings);
  await checkClients(context, settings, findings, args.flag("no-connect") ? undefined : timeoutMs);
  await checkFiles(context, findings);
  const { checks } = findings;
  const errors = checks.filter(({ status }) => status === "error");
  out.document({ ok: errors.length === 0, checks });
  renderChecks(checks, out);
  return exitCode(errors);
}

/** A problem with the configuration takes precedence: the others may follow from it. */
function exitCode(errors: readonly Check[]): number {
  const has = (area: Check["area"]): boolean => errors.some((check) => check.area === area);
  if (errors.length === 0) return EXIT.ok;
  if (has("config")) return EXIT.config;
  return has("servers") ? EXIT.serverUnavailable : EXIT.unexpected;
}
