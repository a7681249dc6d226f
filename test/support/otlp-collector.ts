/** A collector on loopback that keeps what programs export to it. */
import { once } from "node:events";
import { type IncomingHttpHeaders, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

import type { Disposables } from "./disposables.ts";

export interface Export {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly status: { readonly code?: number; readonly message?: string };
}

export interface ExportedMetric {
  readonly name: string;
  readonly unit: string;
  readonly histogram?: { readonly dataPoints: readonly ExportedPoint[] };
  readonly sum?: { readonly dataPoints: readonly ExportedPoint[]; readonly isMonotonic: boolean };
  readonly gauge?: { readonly dataPoints: readonly ExportedPoint[] };
}

export interface ExportedPoint {
  readonly attributes: readonly OtlpAttribute[];
  readonly count?: string;
  readonly asInt?: string;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface OtlpBody {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ExportedSpan, "attributes"> & {
        readonly attributes: readonly OtlpAttribute[];
      })[];
    }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly ExportedMetric[] }[];
  }[];
}

export class Collector {
  readonly url: string;
  readonly exports: Export[] = [];
  /** Answers a request; by default with success. */
  answer: (response: ServerResponse) => void = (response) => response.writeHead(200).end("{}");

  constructor(url: string) {
    this.url = url;
  }

  /** All spans that came as JSON. */
  get spans(): ExportedSpan[] {
    return this.#bodies("/v1/traces").flatMap(({ resourceSpans = [] }) =>
      resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map((span) => ({ ...span, attributes: attributesOf(span.attributes) })),
        ),
      ),
    );
  }

  /** The metrics of the last export. */
  get metrics(): ReadonlyMap<string, ExportedMetric> {
    const { resourceMetrics = [] } = this.#bodies("/v1/metrics").at(-1) ?? {};
    const metrics = resourceMetrics.flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap((scope) => scope.metrics),
    );
    return new Map(metrics.map((metric) => [metric.name, metric]));
  }

  get resource(): Readonly<Record<string, string>> {
    const { resourceMetrics = [] } = this.#bodies("/v1/metrics").at(-1) ?? {};
    return attributesOf(resourceMetrics[0]?.resource.attributes ?? []);
  }

  #bodies(path: string): OtlpBody[] {
    return this.exports
      .filter((one) => one.path === path)
      .map(({ body }) => JSON.parse(body.toString()) as OtlpBody);
  }
}

export function attributesOf(attributes: readonly OtlpAttribute[]): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? ""]),
  );
}

export async function startCollector(disposables: Disposables): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const isCompressed = request.headers["content-encoding"] === "gzip";
    const body = isCompressed ? gunzipSync(bytes) : bytes;
    collector.exports.push({ path: request.url ?? "", headers: request.headers, body });
    collector.answer(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const collector = new Collector(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  disposables.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return collector;
}

/** The variables with which a program exports to a collector as JSON. */
export function exportingTo({ url }: Collector): Record<string, string> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
}
