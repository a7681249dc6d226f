import { describe, expect, it } from "vitest";
import { readOtelSettings } from "./otel-settings.ts";
import { exportsSignal } from "./otel-use.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/base/" };

describe("the variables of OpenTelemetry", () => {
  it.each([
    [{}, false, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: " " }, false, false],
    [ENDPOINT, true, true],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: "TRUE" }, false, false],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: "1" }, true, true],
    [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" }, false, true],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://m" }, false, true],
    [{ OTEL_TRACES_EXPORTER: "console, otlp" }, true, false],
    [{ ...ENDPOINT, OTEL_METRICS_EXPORTER: "prometheus" }, true, false],
  ])("%j export traces: %s, metrics: %s", (env, traces, metrics) => {
    expect([exportsSignal(env, "TRACES"), exportsSignal(env, "METRICS")]).toEqual([
      traces,
      metrics,
    ]);
    const settings = readOtelSettings(env);
    expect([settings.traces !== undefined, settings.metrics !== undefined]).toEqual([
      traces,
      metrics,
    ]);
  });

  it("have defaults, and paths for each signal", () => {
    const { traces, metrics, resource, warnings } = readOtelSettings(ENDPOINT);
    expect(traces).toMatchObject({
      url: "http://collector:4318/base/v1/traces",
      protocol: "http/protobuf",
      timeoutMs: 10_000,
      isCompressed: false,
      headers: {},
      propagates: true,
      queueSize: 2048,
      batchSize: 512,
      delayMs: 5000,
    });
    expect(metrics).toMatchObject({
      url: "http://collector:4318/base/v1/metrics",
      intervalMs: 60_000,
    });
    expect([[...resource], warnings]).toEqual([[], []]);
  });

  it("of one signal win over those of all signals", () => {
    const { traces, metrics } = readOtelSettings({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/own?a=1",
      OTEL_EXPORTER_OTLP_HEADERS: "a=1,b=x%20y",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "Api-Key=k%3D1",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_TIMEOUT: "0",
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "7",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_CERTIFICATE: "/ca.pem",
    });
    expect(traces).toMatchObject({
      url: "https://traces.example/own?a=1",
      headers: { "api-key": "k=1" },
      protocol: "http/json",
      timeoutMs: 2 ** 31 - 1,
      isCompressed: true,
      tls: { ca: "/ca.pem" },
    });
    expect(metrics).toMatchObject({
      headers: { a: "1", b: "x y" },
      protocol: "http/protobuf",
      timeoutMs: 7,
    });
  });

  it("that cannot be used are ignored with a warning that does not repeat values", () => {
    const { traces, metrics, warnings, resource } = readOtelSettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: "ftp://user:secret@host",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t",
      OTEL_EXPORTER_OTLP_HEADERS:
        "a=secret%0d%0aInjected: 1,content-length=secret,b c=secret,=secret,d=%zz,ok=1",
      OTEL_EXPORTER_OTLP_PROTOCOL: "secret",
      OTEL_EXPORTER_OTLP_TIMEOUT: "-1",
      OTEL_EXPORTER_OTLP_COMPRESSION: "secret",
      OTEL_TRACES_SAMPLER: "secret",
      OTEL_BSP_MAX_QUEUE_SIZE: "99999999999",
      OTEL_RESOURCE_ATTRIBUTES: "secret",
      OTEL_METRICS_EXPORTER: "secret,otlp",
    });
    expect(metrics).toBeUndefined();
    expect(traces).toMatchObject({
      headers: { ok: "1" },
      protocol: "http/protobuf",
      timeoutMs: 10_000,
      isCompressed: false,
      queueSize: 2048,
    });
    expect(resource.size).toBe(0);
    expect(warnings).toHaveLength(10);
    expect(warnings.join()).not.toContain("secret");
  });

  it("export nothing by gRPC", () => {
    const { traces, warnings } = readOtelSettings({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc",
    });
    expect(traces).toBeUndefined();
    expect(warnings).toMatchObject([expect.stringContaining("Use http/protobuf")]);
  });
});

describe("the sampler", () => {
  const ID = "0".repeat(18);
  const LOW = `${ID}${"0".repeat(14)}`;
  const HIGH = `${ID}${"f".repeat(14)}`;
  it.each([
    [undefined, undefined, [true, true, true, false]],
    ["always_on", undefined, [true, true, true, true]],
    ["parentbased_always_off", undefined, [false, false, true, false]],
    ["always_off", undefined, [false, false, false, false]],
    ["traceidratio", "0.5", [false, true, false, false]],
    ["parentbased_traceidratio", "0.5", [false, true, true, false]],
    ["parentbased_traceidratio", "0", [false, false, true, false]],
    ["traceidratio", "nonsense", [true, true, true, true]],
    ["unknown", undefined, [true, true, true, false]],
  ])("%s with argument %s decides by id and parent", (name, argument, expected) => {
    const { traces } = readOtelSettings({
      ...ENDPOINT,
      OTEL_TRACES_SAMPLER: name,
      OTEL_TRACES_SAMPLER_ARG: argument,
    });
    const sampler = traces?.sampler;
    expect([
      sampler?.(LOW, undefined),
      sampler?.(HIGH, undefined),
      sampler?.(LOW, true),
      sampler?.(LOW, false),
    ]).toEqual(expected);
  });
});
