/** The fields of OTLP 1.x that are exported, by their names in JSON (opentelemetry-proto). */
import type { Message } from "./protobuf.ts";

const ANY_VALUE: Message = {
  stringValue: [1, "string"],
  intValue: [3, "int64"],
  doubleValue: [4, "double"],
};
const KEY_VALUE: Message = { key: [1, "string"], value: [2, ANY_VALUE] };
const RESOURCE: Message = { attributes: [1, KEY_VALUE] };
const SCOPE: Message = { name: [1, "string"], version: [2, "string"] };

const SPAN: Message = {
  traceId: [1, "hex"],
  spanId: [2, "hex"],
  traceState: [3, "string"],
  parentSpanId: [4, "hex"],
  name: [5, "string"],
  kind: [6, "enum"],
  startTimeUnixNano: [7, "fixed64"],
  endTimeUnixNano: [8, "fixed64"],
  attributes: [9, KEY_VALUE],
  links: [13, { traceId: [1, "hex"], spanId: [2, "hex"] }],
  status: [15, { message: [2, "string"], code: [3, "enum"] }],
};

export const TRACES_REQUEST: Message = {
  resourceSpans: [
    1,
    {
      resource: [1, RESOURCE],
      scopeSpans: [2, { scope: [1, SCOPE], spans: [2, SPAN] }],
    },
  ],
};

const NUMBER_POINT: Message = {
  startTimeUnixNano: [2, "fixed64"],
  timeUnixNano: [3, "fixed64"],
  asDouble: [4, "double"],
  asInt: [6, "sfixed64"],
  attributes: [7, KEY_VALUE],
};
const HISTOGRAM_POINT: Message = {
  startTimeUnixNano: [2, "fixed64"],
  timeUnixNano: [3, "fixed64"],
  count: [4, "fixed64"],
  sum: [5, "double"],
  bucketCounts: [6, "fixed64"],
  explicitBounds: [7, "double"],
  attributes: [9, KEY_VALUE],
};
const METRIC: Message = {
  name: [1, "string"],
  description: [2, "string"],
  unit: [3, "string"],
  gauge: [5, { dataPoints: [1, NUMBER_POINT] }],
  sum: [
    7,
    {
      dataPoints: [1, NUMBER_POINT],
      aggregationTemporality: [2, "enum"],
      isMonotonic: [3, "bool"],
    },
  ],
  histogram: [9, { dataPoints: [1, HISTOGRAM_POINT], aggregationTemporality: [2, "enum"] }],
};

export const METRICS_REQUEST: Message = {
  resourceMetrics: [
    1,
    {
      resource: [1, RESOURCE],
      scopeMetrics: [2, { scope: [1, SCOPE], metrics: [2, METRIC] }],
    },
  ],
};
