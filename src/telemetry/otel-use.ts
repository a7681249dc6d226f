/** The variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What can be exported, as the variables of OpenTelemetry call it. */
export type Signal = "TRACES" | "METRICS";

/** The value of a variable; an empty one counts as unset. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

export function isSdkDisabled(env: Environment): boolean {
  return variable(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true";
}

/**
 * Whether the environment asks for the export of a signal: by an endpoint, or by naming the exporter.
 * Every start evaluates this, so it reads as little as possible.
 */
export function exportsSignal(env: Environment, signal: Signal): boolean {
  if (isSdkDisabled(env)) return false;
  const exporters = variable(env, `OTEL_${signal}_EXPORTER`)?.split(",");
  if (exporters !== undefined) return exporters.some((name) => name.trim() === "otlp");
  return (
    variable(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) !== undefined ||
    variable(env, "OTEL_EXPORTER_OTLP_ENDPOINT") !== undefined
  );
}
