import { readFileSync } from "node:fs";
import type { WorkbenchSettings } from "./types.ts";
export async function loadConfig(o: { file?: string | undefined }): Promise<WorkbenchSettings> {
  const file = o.file ?? process.env["WORKBENCH_CONFIG"] ?? "workbench-config.json";
  const raw = JSON.parse(readFileSync(file, "utf8"));
  const timeouts = { connectMs: 30000, callMs: 120000, totalMs: 600000, idleMs: 600000, shutdownMs: 2000, ...raw.timeouts };
  const limits = { messageBytes: 16777216, concurrency: 64, queue: 256 };
  return { file, toolMode: raw.toolMode ?? "proxy", limits, http: { sessions: 1, sessionIdleMs: 1, bodyBytes: 1 }, log: { level: "warn", format: "text", file: undefined }, discovery: "lazy", openBudgetTokens: 1, secrets: [], warnings: [],
    toolboxes: new Map(Object.entries(raw.toolboxes as Record<string, { description: string; mcpServers: Record<string, { command: string; args?: string[]; env?: Record<string, string> }> }>).map(([name, b]) => [name, { name, description: b.description, keywords: [], servers: new Map(Object.entries(b.mcpServers).map(([n, s]) => [n, { toolbox: name, name: n, transport: { kind: "stdio" as const, command: s.command, args: s.args ?? [], env: s.env ?? {}, cwd: undefined }, toolFilters: ["*"], overrides: {}, timeouts, limits, protocol: "auto" as const, isolation: "shared" as const, inheritEnv: [], disabled: false, unavailable: undefined }])) }])) };
}
