/** oidc-provider, configured for the tests of a client. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import type {
  ClientMetadata,
  Configuration,
  JWK,
  KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import type { TokenRecord } from "./token-record.ts";

export interface ProviderOptions {
  readonly issuer: string;
  readonly record: TokenRecord;
  /** The lifetime of access tokens; a function is asked for each of them. */
  readonly accessTokenSeconds?: number | (() => number);
  /** Whether each refresh gives a new refresh token, and reuse of an old one revokes all. On by default. */
  readonly rotates?: boolean;
  /** When a refresh token is issued. "always" by default. */
  readonly refreshTokens?: "always" | "offline_access" | "never";
  /** Dynamic registration; on by default. */
  readonly registration?: boolean;
  /** Documents of clients by their https address; without any, the feature is off. */
  readonly clientDocuments?: Readonly<Record<string, object>>;
  readonly deviceFlow?: boolean;
  readonly clientCredentials?: boolean;
  /** On by default. */
  readonly revocation?: boolean;
  /** The format of access tokens for a resource; opaque by default. */
  readonly tokenFormat?: "opaque" | "jwt";
  readonly scopes?: readonly string[];
  /** Clients that were registered by hand. */
  readonly clients?: readonly ClientMetadata[];
}

export const SCOPES = ["mcp:read", "mcp:write"] as const;

export async function createProvider(options: ProviderOptions): Promise<Provider> {
  const { record } = options;
  const provider = await withoutNotices(async () => {
    const { Provider } = await import("oidc-provider");
    return new Provider(options.issuer, configurationOf(options));
  });
  provider.proxy = false;
  // Koa prints what a request did wrong; tests see it in the answer.
  provider.silent = true;
  provider.use(async (ctx, next) => {
    await next();
    const oidc = (ctx as KoaContextWithOIDC).oidc as KoaContextWithOIDC["oidc"] | undefined;
    if (oidc?.route === "token") recordToken(record, ctx as KoaContextWithOIDC);
    if (oidc?.route === "registration")
      record.registrations.push({ ...(ctx.response.body as object) });
    if (oidc?.route === "authorization") record.authorizations.push({ ...oidc.params });
    if (oidc?.route === "revocation") record.revoked.push(String(oidc.params?.["token"]));
  });
  return provider;
}

function recordToken(record: TokenRecord, ctx: KoaContextWithOIDC): void {
  const { params = {}, entities } = ctx.oidc;
  const text = (name: string): string | undefined =>
    params[name] === undefined ? undefined : String(params[name]);
  const body = (ctx.response.body ?? {}) as Readonly<Record<string, string | number | undefined>>;
  const clientId = entities.Client?.clientId;
  const resource = text("resource");
  record.requests.push({
    grant: text("grant_type") ?? "unknown",
    result: String(body["error"] ?? "ok"),
    resource,
    scope: text("scope"),
    clientId,
  });
  if (typeof body["access_token"] !== "string") return;
  const grantId = entities.Grant?.jti;
  if (grantId !== undefined) record.grantIds.add(grantId);
  const refreshToken = body["refresh_token"];
  record.issued.push({
    accessToken: body["access_token"],
    refreshToken: refreshToken === undefined ? undefined : String(refreshToken),
    account: entities.Account?.accountId,
    clientId: clientId ?? "",
    scopes: String(body["scope"] ?? "").split(" "),
    resource,
    expiresAt: Date.now() + Number(body["expires_in"]) * 1000,
  });
}

function configurationOf({
  accessTokenSeconds = 3600,
  rotates = true,
  refreshTokens = "always",
  registration = true,
  clientDocuments = {},
  deviceFlow = false,
  clientCredentials = false,
  revocation = true,
  tokenFormat = "opaque",
  scopes = SCOPES,
  clients = [],
}: ProviderOptions): Configuration {
  const lifetime =
    typeof accessTokenSeconds === "number" ? () => accessTokenSeconds : accessTokenSeconds;
  const hasDocuments = Object.keys(clientDocuments).length > 0;
  return {
    clients: [...clients],
    jwks: { keys: [signingKey()] },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    scopes: ["openid", "offline_access", ...scopes],
    ttl: {
      AccessToken: lifetime,
      ClientCredentials: lifetime,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 3600,
      DeviceCode: 3600,
    },
    rotateRefreshToken: rotates,
    issueRefreshToken: async (_ctx, client, code) =>
      client.grantTypeAllowed("refresh_token") &&
      (refreshTokens === "always" ||
        (refreshTokens === "offline_access" && code.scopes.has("offline_access"))),
    findAccount: async (_ctx, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
    expiresWithSession: async () => false,
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    clientBasedCORS: () => false,
    fetch: async (url) => {
      const document = clientDocuments[String(url)];
      return document === undefined
        ? new Response("", { status: 404 })
        : Response.json(document, { headers: { "cache-control": "max-age=60" } });
    },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: registration },
      revocation: { enabled: revocation },
      deviceFlow: {
        enabled: deviceFlow,
        userCodeInputSource: async (ctx, form) => void (ctx.body = form),
        userCodeConfirmSource: async (ctx, form) => void (ctx.body = form),
        successSource: async (ctx) => void (ctx.body = "The device is signed in."),
      },
      clientCredentials: { enabled: clientCredentials },
      clientIdMetadataDocument: hasDocuments
        ? { enabled: true, ack: "draft-02" }
        : { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        getResourceServerInfo: async () => ({
          scope: scopes.join(" "),
          accessTokenFormat: tokenFormat,
          accessTokenTTL: lifetime(),
          ...(tokenFormat === "jwt" && { jwt: { sign: { alg: "ES256" } } }),
        }),
      },
    },
  };
}

function signingKey(): JWK {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256" } as JWK;
}

/** The provider warns on the console about everything that is only for tests. */
async function withoutNotices<T>(work: () => Promise<T>): Promise<T> {
  const { info, warn } = console;
  console.info = console.warn = () => {};
  try {
    return await work();
  } finally {
    Object.assign(console, { info, warn });
  }
}
