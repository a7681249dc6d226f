import { readPairs } from "./env-pairs.ts";
import { type Environment, type Signal, exportsSignal, variable } from "./otel-use.ts";
import { type Sampler, readSampler } from "./traces/sampler.ts";

export type OtlpProtocol = "http/protobuf" | "http/json";

/** Where and how one signal is exported. */
export interface ExportSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: OtlpProtocol;
  /** For one batch, with all attempts. */
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
  /** The file with the certificates to trust, and those with which the workbench identifies itself. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** What the environment says about telemetry. A signal that is undefined is not exported. */
export interface OtelSettings {
  readonly traces: (ExportSettings & TraceSettings) | undefined;
  readonly metrics: (ExportSettings & { readonly intervalMs: number }) | undefined;
  /** Attributes of the process; `service.name` is one of them. */
  readonly resource: ReadonlyMap<string, string>;
  /** What could not be used. */
  readonly warnings: readonly string[];
}

export interface TraceSettings {
  readonly sampler: Sampler;
  /** Whether trace context is read from messages and written into them. */
  readonly propagates: boolean;
  readonly queueSize: number;
  readonly batchSize: number;
  readonly delayMs: number;
}

type Warn = (message: string) => void;

const DEFAULT_ENDPOINT = "http://localhost:4318";
const PATHS: Readonly<Record<Signal, string>> = { TRACES: "v1/traces", METRICS: "v1/metrics" };
const DEFAULT_TIMEOUT_MS = 10_000;
/** More often, reading all metrics would take time from calls. */
const MIN_INTERVAL_MS = 100;
const MAX_NUMBER = 2 ** 31 - 1;

/** Reads the variables that OpenTelemetry defines for all programs. */
export function readOtelSettings(env: Environment): OtelSettings {
  const warnings: string[] = [];
  const warn: Warn = (message) => warnings.push(message);
  for (const signal of ["TRACES", "METRICS"] as const) warnOfExporters(env, signal, warn);
  const traces = exportSettings(env, "TRACES", warn);
  const metrics = exportSettings(env, "METRICS", warn);
  const number = (name: string, otherwise: number): number =>
    readNumber(env, name, otherwise, warn);
  const queueSize = Math.max(1, number("OTEL_BSP_MAX_QUEUE_SIZE", 2048));
  return {
    traces: traces && {
      ...traces,
      sampler: readSampler(env, warn),
      propagates: propagates(env),
      queueSize,
      batchSize: Math.min(queueSize, Math.max(1, number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512))),
      delayMs: number("OTEL_BSP_SCHEDULE_DELAY", 5000),
    },
    metrics: metrics && {
      ...metrics,
      intervalMs: Math.max(MIN_INTERVAL_MS, number("OTEL_METRIC_EXPORT_INTERVAL", 60_000)),
    },
    resource: resourceOf(env, warn),
    warnings: [...new Set(warnings)],
  };
}

function exportSettings(env: Environment, signal: Signal, warn: Warn): ExportSettings | undefined {
  if (!exportsSignal(env, signal)) return undefined;
  const url = endpointOf(env, signal, warn);
  const protocol = protocolOf(env, signal, warn);
  if (url === undefined || protocol === undefined) return undefined;
  const tls = {
    ca: specific(env, signal, "CERTIFICATE")?.value,
    cert: specific(env, signal, "CLIENT_CERTIFICATE")?.value,
    key: specific(env, signal, "CLIENT_KEY")?.value,
  };
  const timeout = specific(env, signal, "TIMEOUT")?.name ?? "OTEL_EXPORTER_OTLP_TIMEOUT";
  return {
    url,
    protocol,
    headers: headersOf(env, signal, warn),
    timeoutMs: readNumber(env, timeout, DEFAULT_TIMEOUT_MS, warn) || MAX_NUMBER,
    isCompressed: isCompressed(env, signal, warn),
    tls: Object.fromEntries(Object.entries(tls).filter(([, file]) => file !== undefined)),
  };
}

/** The variable of one signal, or else that of all signals. */
function specific(
  env: Environment,
  signal: Signal,
  option: string,
): { readonly name: string; readonly value: string } | undefined {
  for (const name of [`OTEL_EXPORTER_OTLP_${signal}_${option}`, `OTEL_EXPORTER_OTLP_${option}`]) {
    const value = variable(env, name);
    if (value !== undefined) return { name, value };
  }
  return undefined;
}

/** The endpoint of one signal is used as it is; that of all signals gets the path of the signal. */
function endpointOf(env: Environment, signal: Signal, warn: Warn): string | undefined {
  const own = variable(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  const base = variable(env, "OTEL_EXPORTER_OTLP_ENDPOINT") ?? DEFAULT_ENDPOINT;
  const given = own ?? base;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const name = `OTEL_EXPORTER_OTLP_${own === undefined ? "" : `${signal}_`}ENDPOINT`;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // It may contain a password, so it is not repeated.
    warn(`${name} is not an http or https URL; ${signal.toLowerCase()} are not exported`);
    return undefined;
  }
  if (own === undefined) url.pathname = `${url.pathname.replace(/\/+$/, "")}/${PATHS[signal]}`;
  return url.href;
}

function protocolOf(env: Environment, signal: Signal, warn: Warn): OtlpProtocol | undefined {
  const { name = "", value = "http/protobuf" } = specific(env, signal, "PROTOCOL") ?? {};
  if (value === "http/protobuf" || value === "http/json") return value;
  if (value === "grpc") {
    warn(
      `${name} is grpc, which is not supported; ${signal.toLowerCase()} are not exported. Use http/protobuf, usually on port 4318`,
    );
    return undefined;
  }
  warn(`${name} is unknown; http/protobuf is used`);
  return "http/protobuf";
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that the exporter writes itself, or that would change where a request ends. */
const RESERVED =
  /^(?:content-(?:length|type|encoding)|transfer-encoding|connection|host|expect|upgrade|te|trailer)$/;

function headersOf(env: Environment, signal: Signal, warn: Warn): Record<string, string> {
  const { name = "", value = "" } = specific(env, signal, "HEADERS") ?? {};
  const headers: Record<string, string> = {};
  const { pairs, invalid } = readPairs(value);
  for (const [key, text] of pairs) {
    const header = key.toLowerCase();
    // Values may be credentials, so they are never part of a message.
    if (!HEADER_NAME.test(header) || RESERVED.test(header) || !HEADER_VALUE.test(text))
      warn(`${name} has a header that cannot be sent; it is left out`);
    else headers[header] = text;
  }
  if (invalid > 0) warn(`${name} has parts that are not key=value; they are left out`);
  return headers;
}

function isCompressed(env: Environment, signal: Signal, warn: Warn): boolean {
  const found = specific(env, signal, "COMPRESSION");
  if (found === undefined || found.value === "none") return false;
  if (found.value !== "gzip") warn(`${found.name} is unknown; nothing is compressed`);
  return found.value === "gzip";
}

function propagates(env: Environment): boolean {
  const listed = variable(env, "OTEL_PROPAGATORS")?.split(",");
  return listed?.some((name) => name.trim() === "tracecontext") ?? true;
}

function resourceOf(env: Environment, warn: Warn): Map<string, string> {
  const { pairs, invalid } = readPairs(variable(env, "OTEL_RESOURCE_ATTRIBUTES") ?? "");
  if (invalid > 0)
    warn("OTEL_RESOURCE_ATTRIBUTES has parts that are not key=value; they are left out");
  const resource = new Map(pairs);
  const service = variable(env, "OTEL_SERVICE_NAME");
  if (service !== undefined) resource.set("service.name", service);
  return resource;
}

function warnOfExporters(env: Environment, signal: Signal, warn: Warn): void {
  const name = `OTEL_${signal}_EXPORTER`;
  const unknown = (variable(env, name) ?? "")
    .split(",")
    .map((exporter) => exporter.trim())
    .filter((exporter) => !["", "otlp", "none", "prometheus"].includes(exporter));
  if (unknown.length > 0) warn(`${name} has an exporter other than otlp and none; it is ignored`);
}

function readNumber(env: Environment, name: string, otherwise: number, warn: Warn): number {
  const value = variable(env, name);
  if (value === undefined) return otherwise;
  if (/^\d{1,10}$/.test(value) && Number(value) <= MAX_NUMBER) return Number(value);
  warn(`${name} is not a number between 0 and ${MAX_NUMBER}; ${otherwise} is used`);
  return otherwise;
}
