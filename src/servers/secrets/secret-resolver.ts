import { isServerUrl } from "../../config/check/formats.ts";
import type { SecretReference, SecretText, ServerSettings } from "../../config/types.ts";
import { type SecretHost, SecretProblem, SecretValues } from "./secret-values.ts";

/** Puts the values of secrets into the settings of a server that is about to be started. */
export class SecretResolver {
  readonly #values: SecretValues;

  constructor(host: SecretHost) {
    this.#values = new SecretValues(host);
  }

  /** The settings with every reference replaced. Throws if a secret has no value, or a wrong one. */
  async resolve(settings: ServerSettings): Promise<ServerSettings> {
    const { secretTexts } = settings;
    const values = await this.#valuesOf(secretTexts);
    let transport: unknown = settings.transport;
    for (const { at, parts } of secretTexts) {
      const text = parts
        .map((part) => (typeof part === "string" ? part : (values.get(part) ?? "")))
        .join("");
      transport = replaced(transport, at, accepted(at, text));
    }
    return { ...settings, transport: transport as ServerSettings["transport"], secretTexts: [] };
  }

  /** All of them at the same time; every failure is reported, not only the first. */
  async #valuesOf(texts: readonly SecretText[]): Promise<ReadonlyMap<SecretReference, string>> {
    const references = texts.flatMap(({ parts }) =>
      parts.filter((part) => typeof part !== "string"),
    );
    const values = await Promise.allSettled(references.map((one) => this.#values.valueOf(one)));
    const failed = values.flatMap((one) =>
      one.status === "rejected" ? [(one.reason as Error).message] : [],
    );
    if (failed.length > 0) throw new SecretProblem([...new Set(failed)].join("; "));
    return new Map(
      values.flatMap((one, index) => {
        const reference = references[index];
        return one.status === "fulfilled" && reference !== undefined
          ? [[reference, one.value]]
          : [];
      }),
    );
  }
}

/** A copy of the value with this text at a path. */
function replaced(value: unknown, [key, ...rest]: SecretText["at"], text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === key ? replaced(item, rest, text) : item));
  const object = value as Readonly<Record<string, unknown>>;
  return { ...object, [key]: replaced(object[key], rest, text) };
}

const HEADER = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** The text with its values, if it may be used there. It is not quoted: it contains a secret. */
function accepted(at: SecretText["at"], text: string): string {
  const [field] = at;
  const place = at.join(".");
  if (text.includes("\0")) throw new SecretProblem(`${place}: its secret contains a NUL character`);
  if (field === "url" && (text.includes("${") || !isServerUrl(text)))
    throw new SecretProblem(`${place}: with its secret, it is not a server URL`);
  if (field !== "headers") return text;
  const value = text.trim();
  if (HEADER.test(value)) return value;
  throw new SecretProblem(
    `${place}: its secret contains a character that is not allowed in headers, such as a line break`,
  );
}
