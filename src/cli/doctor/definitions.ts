import { lockFileOf } from "../../config/lock-path.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { reasonOf } from "../../errors.ts";
import { differences } from "../../pins/differences.ts";
import type { LockFile } from "../../pins/lock-file.ts";
import { readLock, storedDefinitions } from "../../pins/lock-store.ts";
import type { ObservedServer } from "../../pins/observed-server.ts";
import { observeServer } from "../../pins/read-server.ts";
import { type ScanFinding, scanServer } from "../../pins/scan/scan-server.ts";
import { visible } from "../../text/visible.ts";
import { plural } from "../output/layout.ts";
import { toolsOfOthers } from "../../pins/compare-servers.ts";
import { type Connected, labelOf } from "../use/connect.ts";
import type { Findings } from "./check.ts";

const area = "servers";

/** Reports suspicious texts in definitions, and definitions that are not as approved. */
export async function checkDefinitions(
  settings: WorkbenchSettings,
  connected: readonly Connected[],
  findings: Findings,
): Promise<void> {
  const observed = new Map<string, ObservedServer>();
  for (const { server, connection } of connected) {
    // A list that cannot be read is reported by the commands that need it.
    const found = await observeServer(server, connection).catch(() => undefined);
    if (found !== undefined) observed.set(labelOf(server), found);
  }
  const lock = await approvedLock(settings, findings);
  for (const [key, server] of observed) {
    const others = toolsOfOthers(key, observed, lock);
    for (const finding of scanServer(server, others)) findings.add(suspicious(key, finding));
    if (lock !== undefined) compare(key, server, lock, others, settings, findings);
  }
}

/** The lock file, if it is in use; reports if it cannot be. */
async function approvedLock(
  { file: configFile, pins }: WorkbenchSettings,
  findings: Findings,
): Promise<LockFile | undefined> {
  if (configFile === undefined || pins === "off") return undefined;
  const file = lockFileOf(configFile);
  const status = pins === "enforce" ? "error" : "warning";
  try {
    const lock = await readLock(file);
    if (lock === undefined && pins !== undefined)
      findings.add({
        area: "config",
        subject: file,
        status,
        message: `there is no lock file${pins === "enforce" ? ", so everything is blocked" : ""}`,
        fix: "mcp-workbench lock",
      });
    return lock;
  } catch (error) {
    findings.add({
      area: "config",
      subject: file,
      status,
      message: reasonOf(error),
      fix: "Restore it from version control",
    });
    return undefined;
  }
}

function compare(
  key: string,
  server: ObservedServer,
  lock: LockFile,
  foreignTools: ReadonlySet<string>,
  { file = "" }: WorkbenchSettings,
  findings: Findings,
): void {
  const stored = storedDefinitions(lockFileOf(file));
  const definitionOf = (hash: string): string | undefined => stored.get(hash);
  const found = differences(lock.servers.get(key), server, { definitionOf, foreignTools });
  const relevant = found.filter(({ severity }) => severity !== "cosmetic");
  if (relevant.length === 0) return;
  const severe = relevant.filter(({ severity }) => severity === "severe").length;
  const count = `${plural(relevant.length, "difference")} from workbench-lock.json`;
  findings.add({
    area,
    subject: key,
    status: "warning",
    message: severe > 0 ? `${count}, ${severe} severe` : count,
    fix: `mcp-workbench diff ${key}`,
  });
}

function suspicious(
  key: string,
  { what, name, signals }: ScanFinding,
): Parameters<Findings["add"]>[0] {
  return {
    area,
    subject: key,
    status: "warning",
    message: visible(`${[what, name].join(" ").trim()}: ${signals.join("; ")}`),
    fix: 'Read it with `mcp-workbench open`, and hide tools that you do not trust with "toolFilters"',
  };
}
