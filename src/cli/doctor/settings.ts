import { isRemote } from "../../config/is-remote.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Findings } from "./check.ts";
import { unpinnedPackage } from "./packages.ts";
import { checkRulePatterns } from "./rule-patterns.ts";

const area = "config";
const MANY_SERVERS = 8;

/** Checks the settings of a valid configuration, without starting its servers. */
export function checkSettings(settings: WorkbenchSettings, findings: Findings): void {
  for (const server of serversIn(settings.toolboxes)) checkServer(server, findings);
  checkRulePatterns(settings, findings);
  for (const { name, servers: inside } of settings.toolboxes.values())
    if (inside.size > MANY_SERVERS)
      findings.add({
        area,
        subject: `toolbox ${name}`,
        status: "warning",
        message: `it has ${inside.size} servers, and opening it starts all of them`,
        fix: "Split it by purpose, so that the agent opens only what it needs",
      });
}

function checkServer(server: ServerSettings, findings: Findings): void {
  const { toolbox, name, transport, disabled, unavailable } = server;
  const subject = `${toolbox}/${name}`;
  if (disabled) return;
  if (unavailable !== undefined) {
    const [message = "", ...advice] = unavailable.split(/\. (?=Set )/);
    const fix = advice.join(". ") || "Correct its entry";
    findings.add({ area, subject, status: "error", message, fix });
  }
  if (transport.kind === "stdio") {
    const unpinned = unpinnedPackage([transport.command, ...transport.args]);
    if (unpinned !== undefined)
      findings.add({
        area,
        subject,
        status: "warning",
        message: `'${unpinned}' is not pinned to a version: each start may run different code`,
        fix: `Write ${unpinned}@VERSION in "args"`,
      });
  } else if (isRemote(transport) && isPlainHttp(transport.url)) {
    findings.add({
      area,
      subject,
      status: "warning",
      message: "it uses http://, so the traffic is not encrypted",
      fix: "Use https://",
    });
  }
}

function isPlainHttp(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  const isHere = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return protocol === "http:" && !isHere;
}
