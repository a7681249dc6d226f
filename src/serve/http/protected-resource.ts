import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { reaches, requestsFor, scopesFor } from "../../access/users/granted.ts";
import type { Principal } from "../../calls/principal.ts";
import type { IdentityProvider } from "../../config/types.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { NAME } from "../../version.ts";
import { type Headers, answerRead, refuse } from "./http-responses.ts";
import { RESOURCE_PATH, type Route } from "./routes.ts";

const RETRY_SECONDS = "5";

/**
 * The workbench as a protected resource of OAuth (RFC 9728): what clients need to find the identity
 * provider, and the scopes to ask for. Each address is a resource of its own. The
 * answers depend on the scopes only, so that they disclose no other names.
 */
export class ProtectedResource {
  readonly #provider: () => IdentityProvider | undefined;

  constructor(provider: () => IdentityProvider | undefined) {
    this.#provider = provider;
  }

  /** Answers with the metadata of an address; false if there is none. */
  answer(
    names: readonly string[] | undefined,
    request: IncomingMessage,
    response: HttpResponse,
  ): boolean {
    const provider = this.#provider();
    if (provider === undefined) return false;
    const { issuer, resource, scopes } = provider;
    const supported = scopesFor(names ?? [], scopes);
    if (supported.length === 0) {
      refuse(response, workbenchError("NOTHING_HERE", { path: RESOURCE_PATH }));
      return true;
    }
    const requests = requestsFor(supported, scopes);
    answerRead(request, response, () => ({
      resource: names === undefined ? resource : `${resource}${pathOf(names)}`,
      authorization_servers: [issuer],
      ...(requests.length > 0 && { scopes_supported: requests }),
      bearer_methods_supported: ["header"],
      resource_name: NAME,
    }));
    return true;
  }

  /** The headers of a refusal; undefined if there is no identity provider. */
  challenge(route: Route, error: WorkbenchError, hasToken: boolean): Headers | undefined {
    const provider = this.#provider();
    if (provider === undefined) return undefined;
    if (error.httpStatus !== 401) return { "retry-after": RETRY_SECONDS };
    if (route.kind !== "mcp") return undefined;
    // A client that sent no token has made no error (RFC 6750).
    const reason = error.reason ?? "the token is not valid";
    const problem = hasToken ? [`error="invalid_token"`, `error_description="${reason}"`] : [];
    return challengeOf(provider, route.names, problem);
  }

  /** Refuses a user without a scope for an address, so that the client can ask for it. */
  refuses(principal: Principal, names: readonly string[], response: HttpResponse): boolean {
    const provider = this.#provider();
    if (principal.kind !== "oauth" || provider === undefined) return false;
    if (reaches(principal, names)) return false;
    const scopes = scopesFor(names, provider.scopes);
    if (scopes.length === 0) return false;
    const error = workbenchError("INSUFFICIENT_SCOPE", { scopes: scopes.join(", ") });
    const problem = [`error="insufficient_scope"`];
    refuse(response, error, "null", challengeOf(provider, names, problem));
    return true;
  }
}

function challengeOf(
  { resource, scopes }: IdentityProvider,
  names: readonly string[],
  problem: readonly string[],
): Headers {
  const needed = requestsFor(scopesFor(names, scopes), scopes);
  const parameters = [
    ...problem,
    ...(needed.length === 0 ? [] : [`scope="${needed.join(" ")}"`]),
    `resource_metadata="${resource}${RESOURCE_PATH}${pathOf(names)}"`,
  ];
  return { "www-authenticate": `Bearer ${parameters.join(", ")}` };
}

function pathOf(names: readonly string[]): string {
  return ["/mcp", ...names.map((name) => encodeURIComponent(name))].join("/");
}
