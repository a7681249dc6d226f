/** The audit log that a program has written. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { auditFiles } from "../../src/audit/file-names.ts";
import type { Place } from "./workbench.ts";

export interface AuditRow {
  readonly event: string;
  readonly method: string;
  readonly outcome: string;
  readonly [field: string]: unknown;
}

export function auditFolderOf({ env }: Pick<Place, "env">): string {
  return join(env["XDG_STATE_HOME"] ?? "", "mcp-workbench", "audit");
}

/** The entries about calls, by file and line. */
export function auditRows(place: Pick<Place, "env">): AuditRow[] {
  const folder = auditFolderOf(place);
  return auditFiles(folder)
    .flatMap(({ name }) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AuditRow)
    .filter(({ event }) => event !== "start");
}

/** The requests that the audit log must have an entry for, whatever becomes of them. */
const AUDITED = /^(?:tools\/call$|(?:prompts|resources|completion|tasks)\/)/;

export function isAuditedMethod(method: string): boolean {
  return AUDITED.test(method);
}
