import type { WorkbenchSettings } from "../../config/types.ts";
import { mayMatchStart } from "../../text/glob.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Findings } from "./check.ts";

type Patterns = { readonly tools?: readonly string[] | undefined };

/** Warns about patterns in rules that match no server: such a rule denies or limits nothing. */
export function checkRulePatterns(settings: WorkbenchSettings, findings: Findings): void {
  const all = serversIn(settings.toolboxes).map(({ name }) => name);
  check("policy.rules", settings.policy?.rules, all, findings);
  check("limits.rate", settings.rateLimits, all, findings);
  for (const { name: toolbox, policy, servers } of settings.toolboxes.values()) {
    const at = `toolboxes.${toolbox}`;
    check(`${at}.policy.rules`, policy?.rules, [...servers.keys()], findings);
    for (const { name, policy: own } of servers.values())
      check(`${at}.mcpServers.${name}.policy.rules`, own?.rules, [name], findings);
  }
}

function check(
  at: string,
  rules: readonly Patterns[] | undefined,
  servers: readonly string[],
  findings: Findings,
): void {
  for (const [i, { tools = [] }] of (rules ?? []).entries())
    for (const pattern of tools) {
      if (servers.some((server) => mayMatchStart(pattern, `${server}/`))) continue;
      findings.add({
        area: "config",
        subject: `${at}[${i}]`,
        status: "warning",
        message: `the pattern '${pattern}' matches no tool of a configured server`,
        fix: "Write it as SERVER/TOOL, without the toolbox",
      });
    }
}
