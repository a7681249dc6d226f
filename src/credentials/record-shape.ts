import { isObject, type JsonObject } from "../text/json.ts";
import type { CredentialRecord } from "./record.ts";

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === "string" && value !== "";
const anyText: Check = (value) => typeof value === "string";
const number: Check = (value) => typeof value === "number" && Number.isFinite(value);
/** What a date can be made from: one that cannot be shown would make every command fail. */
const time: Check = (value) => number(value) && !Number.isNaN(new Date(Number(value)).getTime());
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const texts: Check = (value) => Array.isArray(value) && value.every(anyText);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const object =
  (shape: Shape): Check =>
  (value) =>
    isObject(value) && firstWrong(value, shape) === undefined;

const ENDPOINTS: Shape = {
  issuer: text,
  tokenEndpoint: text,
  revocationEndpoint: optional(text),
  tokenAuthMethods: optional(texts),
};

const CLIENT: Shape = {
  kind: oneOf("static", "cimd", "dcr"),
  clientId: text,
  clientSecret: optional(anyText),
  authMethod: oneOf("none", "client_secret_basic", "client_secret_post", "private_key_jwt"),
  redirectUri: optional(text),
  secretExpiresAt: optional(number),
};

const TOKEN: Shape = {
  accessToken: text,
  expiresAt: optional(time),
  refreshToken: optional(text),
  scope: optional(anyText),
  obtainedAt: number,
};

const RECORD: Shape = {
  version: oneOf(1),
  url: text,
  account: text,
  user: optional(object({ id: text, name: text })),
  generation: count,
  endpoints: optional(object(ENDPOINTS)),
  resource: optional(text),
  client: optional(object(CLIENT)),
  token: optional(object(TOKEN)),
  requestedScope: optional(anyText),
  wantedScope: optional(anyText),
  refused: optional(object({ generation: count, at: number, error: anyText })),
};

/**
 * Checks a record that was read. Members that it does not know are allowed: a newer version of the
 * workbench may have added them. The reason never contains a value.
 */
export function assertRecord(value: unknown): asserts value is CredentialRecord {
  if (!isObject(value)) throw new Error("it does not contain a record");
  const wrong = firstWrong(value, RECORD);
  if (wrong === "version") throw new Error("a newer version of the workbench wrote it");
  if (wrong !== undefined) throw new Error(`its member '${wrong}' is not valid`);
}

function firstWrong(value: JsonObject, shape: Shape): string | undefined {
  return Object.keys(shape).find((name) => shape[name]?.(value[name]) === false);
}
