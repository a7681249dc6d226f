import { isWorkbenchError, type WorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { createGuardedFetch, type GuardedFetch } from "../../oauth/guarded-fetch.ts";
import { redirectTarget } from "../../oauth/send-checked.ts";
import type { ProtocolOptions } from "../../oauth/types.ts";
import { parseJson, valueAt } from "../../text/json.ts";
import { addressProblem } from "../address-problem.ts";
import { issueText } from "../issue-text.ts";
import {
  type RegistryEntry,
  REGISTRY_NAME,
  serverList,
  serverResponse,
  statusOf,
} from "./schema.ts";

export const PUBLIC_REGISTRY = "https://registry.modelcontextprotocol.io";

const PAGE = 100;
const MAX_PAGES = 5;
/** How many words of a search are asked for, and how long the second and third have to be. */
const MAX_ASKED = 3;
const MIN_ASKED_LENGTH = 3;
const MAX_BYTES = 4 * 1024 * 1024;
/** Answers are not cached: an old one would hide that a version was deleted. */
const WITHOUT_REGISTRY =
  "You can add a server without a registry: mcp-workbench add NAME -- COMMAND";

export interface RegistryAccess {
  readonly url: string;
  /** Sent to this registry only, as a Bearer token. */
  readonly token?: string | undefined;
}

export interface FoundServers {
  readonly servers: readonly RegistryEntry[];
  /** Whether the registry has more than were looked at. */
  readonly hasMore: boolean;
}

/**
 * Reads a registry with the API of the official one (v0.1). It uses the rules for untrusted addresses:
 * https or this machine, redirects within the registry only, 10 s, limited sizes.
 */
export class RegistryClient {
  readonly url: string;
  readonly #fetch: GuardedFetch;
  readonly #token: string | undefined;

  constructor({ url, token }: RegistryAccess, options: ProtocolOptions = {}) {
    this.url = baseOf(url);
    this.#token = token;
    this.#fetch = createGuardedFetch(this.url, { maxBytes: MAX_BYTES, ...options });
  }

  /**
   * The latest versions of servers that have all words in their name, title or description. Registries
   * look for one text in the name only, so one word is asked for, and the others are compared here. If
   * there is none, the next word is asked for.
   */
  async search(words: readonly string[], limit: number): Promise<FoundServers> {
    const wanted = [...new Set(words.map((word) => word.toLowerCase()))];
    const [longest = "", ...others] = wanted.toSorted((a, b) => b.length - a.length);
    let found = await this.#named(longest, wanted, limit);
    const next = others.filter((word) => word.length >= MIN_ASKED_LENGTH).slice(0, MAX_ASKED - 1);
    for (const word of next) {
      if (found.servers.length > 0) break;
      found = await this.#named(word, wanted, limit);
    }
    return found;
  }

  /** Those of them that have one of the words in their name. */
  async #named(asked: string, wanted: readonly string[], limit: number): Promise<FoundServers> {
    const found = new Map<string, RegistryEntry>();
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = new URLSearchParams({ search: asked, version: "latest", limit: String(PAGE) });
      if (cursor !== undefined) query.set("cursor", cursor);
      const { servers, metadata } = this.#checked(
        serverList.safeParse(await this.#get(`/v0.1/servers?${query}`)).data,
      );
      for (const one of servers) {
        const entry = serverResponse.safeParse(one).data;
        if (entry === undefined) continue;
        const { status, isLatest } = statusOf(entry);
        // Some registries answer with all versions.
        if (found.has(entry.server.name) && !isLatest) continue;
        if (status !== "deleted" && hasWords(entry, wanted)) found.set(entry.server.name, entry);
      }
      cursor = metadata?.nextCursor || undefined;
      if (cursor === undefined || found.size > limit) break;
    }
    const servers = [...found.values()];
    return {
      servers: servers.slice(0, limit),
      hasMore: servers.length > limit || cursor !== undefined,
    };
  }

  /** One version of a server. `latest` is resolved: the answer names the exact version. */
  async get(name: string, version: string): Promise<RegistryEntry> {
    if (!REGISTRY_NAME.test(name)) throw this.#missing(name);
    const path = [name, "versions", version].map(encodeURIComponent).join("/");
    const answer = await this.#get(`/v0.1/servers/${path}`, () => this.#missing(name, version));
    const entry = this.#entry(name, answer);
    const { server } = entry;
    if (server.name !== name)
      throw this.#failure(`it answered with '${server.name}' for '${name}'`);
    if (version !== "latest" && server.version !== version)
      throw this.#failure(`it answered with version ${server.version} for ${version}`);
    return entry;
  }

  /** An answer with a server in it is one of a registry, even if the entry is malformed. */
  #entry(name: string, answer: unknown): RegistryEntry {
    const { data, error } = serverResponse.safeParse(answer);
    if (data !== undefined) return data;
    if (valueAt(answer, ["server", "name"]) !== name) throw this.#strange();
    const reason = `its entry in ${this.url} is not valid: ${issueText(error)}`;
    throw workbenchError("CANNOT_ADD", { name, reason }, WITHOUT_REGISTRY);
  }

  async #get(path: string, missing?: () => WorkbenchError): Promise<unknown> {
    try {
      const headers = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
      const response = await this.#fetch(this.url + path, { headers });
      const { status } = response;
      if (status === 404 && missing !== undefined) throw missing();
      if (status === 401 || status === 403)
        throw this.#failure(
          `it answered with the status ${status}`,
          "Set registry.url and registry.token in the configuration",
        );
      const location = response.headers.get("location") ?? undefined;
      const target = redirectTarget(status, location, new URL(this.url));
      if (target !== undefined && target.origin !== new URL(this.url).origin)
        throw this.#failure(
          `it redirects to ${target.host === "" ? target.protocol : target.origin}, and redirects to another host are not followed`,
          "If you trust that host, name it as the registry",
        );
      if (status !== 200) throw this.#failure(`it answered with the status ${status}`);
      return parseJson(await response.text());
    } catch (error) {
      if (isWorkbenchError(error)) throw error;
      throw this.#failure(reasonOf(error), WITHOUT_REGISTRY, error);
    }
  }

  #checked<T>(answer: T | undefined): T {
    if (answer === undefined) throw this.#strange();
    return answer;
  }

  #strange(): WorkbenchError {
    return this.#failure("its answer is not one of a registry");
  }

  /** The answer of a registry does not say whether it has other versions. */
  #missing(name: string, version = "latest"): WorkbenchError {
    const hint = "Look for it with: mcp-workbench registry WORDS";
    const wanted = version === "latest" ? {} : { version };
    return workbenchError("NOT_IN_REGISTRY", { registry: this.url, name, ...wanted }, hint);
  }

  #failure(reason: string, hint?: string, cause?: unknown): WorkbenchError {
    return workbenchError("REGISTRY_UNUSABLE", { registry: this.url, reason }, hint, cause);
  }
}

/** The address without a path of the API, which users may copy with it. */
function baseOf(url: string): string {
  const problem = addressProblem(url);
  if (problem !== undefined) {
    const registry = url.replace(/\/\/[^/]*@/, "//…@");
    throw workbenchError("REGISTRY_UNUSABLE", { registry, reason: `its address ${problem}` });
  }
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/(?:\/v0(?:\.1)?(?:\/servers)?)?\/*$/, "");
}

function hasWords({ server }: RegistryEntry, words: readonly string[]): boolean {
  const text = [server.name, server.title, server.description].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}
