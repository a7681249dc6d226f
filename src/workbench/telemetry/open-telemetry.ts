/** What is loaded when telemetry is used. */
import type { WorkbenchSettings } from "../../config/types.ts";
import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { SCHEME } from "../../secrets/find.ts";
import { isPossiblySecretName } from "../../secrets/patterns.ts";
import type { Server } from "../../servers/server.ts";
import { prometheusText } from "../../telemetry/metrics/prometheus.ts";
import { type ExportSettings, readOtelSettings } from "../../telemetry/otel-settings.ts";
import type { Environment } from "../../telemetry/otel-use.ts";
import { Telemetry, type TelemetryOptions } from "../../telemetry/telemetry.ts";
import { serversIn } from "../scopes.ts";
import { workbenchGauges } from "./workbench-gauges.ts";

/** The workbench, as far as telemetry needs it. */
export interface MeasuredWorkbench {
  readonly host: {
    readonly log: Logger;
    readonly instance: string;
    readonly redact: (text: string) => string;
    readonly redactValues: (values: readonly string[]) => void;
  };
  readonly settings: WorkbenchSettings;
  readonly toolboxes: ReadonlyMap<string, { readonly servers: ReadonlyMap<string, Server> }>;
}

export interface OpenedTelemetry {
  readonly telemetry: Telemetry;
  /** All metrics as text. */
  scrape(): string;
}

export function openTelemetry(
  workbench: MeasuredWorkbench,
  env: Environment,
  sessions: () => number,
): OpenedTelemetry {
  const { host } = workbench;
  const settings = readOtelSettings(env);
  host.redactValues([settings.traces, settings.metrics].flatMap(credentialsIn));
  const options: TelemetryOptions = {
    settings,
    log: host.log,
    instance: host.instance,
    redact: host.redact,
    hasTool: (toolbox, server, tool) => hasTool(workbench, toolbox, server, tool),
    gauges: () => workbenchGauges(serversIn(workbench.toolboxes), workbench.settings, sessions()),
  };
  const telemetry = createTelemetry(options);
  return { telemetry, scrape: () => prometheusText(telemetry.collect()) };
}

/** If nothing can be exported, for example without a certificate, metrics can still be read. */
function createTelemetry(options: TelemetryOptions): Telemetry {
  try {
    return new Telemetry(options);
  } catch (error) {
    options.log.warn(`telemetry cannot be exported: ${reasonOf(error)}`);
    const settings = { ...options.settings, traces: undefined, metrics: undefined, warnings: [] };
    return new Telemetry({ ...options, settings });
  }
}

/** The headers and the password with which the workbench identifies itself to a collector. */
function credentialsIn(settings: ExportSettings | undefined): string[] {
  if (settings === undefined) return [];
  const { password } = new URL(settings.url);
  const values = Object.entries(settings.headers).flatMap(([name, value]) =>
    isPossiblySecretName(name) ? [value, value.replace(SCHEME, "")] : [],
  );
  return password === "" ? values : [...values, decodeURIComponent(password)];
}

function hasTool(
  { toolboxes }: MeasuredWorkbench,
  toolbox: string,
  server: string,
  tool: string,
): boolean {
  const connections = toolboxes.get(toolbox)?.servers.get(server)?.connections.values() ?? [];
  return [...connections].some(({ catalogue }) => catalogue.tools.has(tool));
}
