import type { CredentialRecord, OAuthClient, TokenSet } from "../credentials/record.ts";
import type { OAuthSettings } from "../config/types.ts";
import { assertEncrypted } from "../oauth/allowed-url.ts";
import type { Discovery } from "../oauth/types.ts";
import type { Credential } from "./credential.ts";
import type { Discoveries } from "./discoveries.ts";
import type { SignInParts } from "./parts.ts";
import { clientOf, storedClient } from "./redeem.ts";
import type { DeviceLogin, ImportedTokens, PendingLogin, SignInTarget } from "./types.ts";

/** What a login is made with. */
interface Prepared {
  readonly settings: OAuthSettings;
  readonly discovery: Discovery;
  readonly client: OAuthClient;
  readonly scope: string | undefined;
}

/** The ways to sign in to one server. Each stores its tokens as a new generation. */
export class Logins {
  readonly #target: () => Promise<SignInTarget>;
  readonly #credential: Credential;
  readonly #discoveries: Discoveries;
  readonly #parts: SignInParts;

  constructor(
    target: () => Promise<SignInTarget>,
    credential: Credential,
    discoveries: Discoveries,
    parts: SignInParts,
  ) {
    this.#target = target;
    this.#credential = credential;
    this.#discoveries = discoveries;
    this.#parts = parts;
  }

  /** A login in a browser. */
  async begin(redirectUri: string): Promise<PendingLogin> {
    const { protocol, redactValues, requests } = this.#parts;
    const prepared = await this.#prepare([redirectUri]);
    await this.#keepClient(prepared);
    const started = await protocol.startAuthorization({ ...prepared, redirectUri });
    return {
      url: started.url,
      state: started.state,
      finish: async (returned) => {
        redactValues(codesIn(returned));
        await requests.run(async () =>
          this.#store(prepared, await protocol.finishAuthorization(started, returned)),
        );
      },
    };
  }

  /** A login that the user completes on any device. */
  async beginDevice(): Promise<DeviceLogin> {
    const prepared = await this.#prepare([]);
    await this.#keepClient(prepared);
    const { poll, url, code, completeUrl } = await this.#parts.protocol.startDevice(prepared);
    return {
      url,
      code,
      ...(completeUrl !== undefined && { completeUrl }),
      finish: async (signal) => this.#store(prepared, await poll(signal)),
    };
  }

  /** A record with a token for the client itself. */
  async asClient(current: CredentialRecord | undefined): Promise<CredentialRecord> {
    const prepared = await this.#prepare([], current);
    const token = await this.#parts.protocol.clientCredentials(prepared);
    return this.#recordWith(prepared, token, current);
  }

  /** Stores tokens that were issued elsewhere. Only a refresh token needs the authorization server. */
  async import(tokens: ImportedTokens): Promise<void> {
    const { url, oauth: settings } = await this.#target();
    assertEncrypted(url);
    const { clientId = settings.clientId, clientSecret, ...given } = tokens;
    const { accessToken, refreshToken, scope } = given;
    const token = { ...given, obtainedAt: this.#parts.now() };
    const { redactValues } = this.#parts;
    redactValues([accessToken, refreshToken ?? "", clientSecret ?? ""].filter(Boolean));
    if (refreshToken === undefined || clientId === undefined) {
      await this.#credential.replace((current) => ({
        version: 1,
        ...this.#credential.id,
        generation: (current?.generation ?? 0) + 1,
        token,
      }));
      return;
    }
    const discovery = await this.#discoveries.get();
    const authMethod = clientSecret === undefined ? "none" : "client_secret_basic";
    const isConfigured = clientId === settings.clientId;
    const client: OAuthClient = isConfigured
      ? await this.#chooseClient(discovery, settings, [], undefined)
      : {
          // Not configured here, so the secret has to be stored, as that of a registration is.
          kind: "dcr",
          clientId,
          authMethod,
          ...(clientSecret !== undefined && { clientSecret }),
        };
    await this.#store({ settings, discovery, client, scope }, token);
  }

  // --- internal ---

  async #prepare(
    uris: readonly string[],
    current: CredentialRecord | undefined = this.#credential.record,
  ): Promise<Prepared> {
    const { protocol } = this.#parts;
    const { oauth: settings } = await this.#target();
    const discovery = await this.#discoveries.get();
    const isSameIssuer = current?.endpoints?.issuer === discovery.endpoints.issuer;
    const client = await this.#chooseClient(discovery, settings, uris, current);
    const { challenge } = this.#discoveries;
    // Until there was a login, what the server asks for now replaces what it asked for before.
    const wanted =
      current?.token === undefined
        ? (challenge?.scope ?? current?.wantedScope)
        : (current.wantedScope ?? challenge?.scope);
    const asked = wanted === undefined ? challenge : { ...challenge, scope: wanted };
    const previous = isSameIssuer ? current?.requestedScope : undefined;
    const scope = protocol.scopeToRequest(asked, discovery, settings, previous);
    return { settings, discovery, client, scope };
  }

  /**
   * A registration is shown to its own issuer only, and used for the kind of login that it is for. A
   * configured client is compared: it must not move to another issuer unnoticed.
   */
  #chooseClient(
    discovery: Discovery,
    settings: OAuthSettings,
    uris: readonly string[],
    current: CredentialRecord | undefined,
  ): Promise<OAuthClient> {
    const client = current && clientOf(current, settings);
    const issuer = current?.endpoints?.issuer;
    const isOwn = issuer === discovery.endpoints.issuer;
    const isForDevice = client?.redirectUri === undefined;
    const isUsable = isOwn && isForDevice === (uris.length === 0);
    const known = client?.kind === "static" || isUsable ? client : undefined;
    return this.#parts.protocol.chooseClient(discovery, settings, uris, known, issuer);
  }

  /** Keeps a new registration for the next login, should this one fail. */
  async #keepClient({ discovery, client }: Prepared): Promise<void> {
    const { redactValues } = this.#parts;
    if (client.clientSecret !== undefined) redactValues([client.clientSecret]);
    // What cannot be read stays until the login is complete.
    if (client.kind !== "dcr" || !(await this.#credential.isReadable())) return;
    await this.#credential.update((current) => {
      // A token that is in use is refreshed with the client that it was issued to.
      if (current?.token !== undefined && current.client !== undefined) return undefined;
      const before = current ?? { version: 1, ...this.#credential.id, generation: 0 };
      return { ...before, client, endpoints: discovery.endpoints };
    });
  }

  async #store(prepared: Prepared, token: TokenSet): Promise<void> {
    await this.#credential.replace((current) => this.#recordWith(prepared, token, current));
  }

  /** A record without what belongs to an earlier login. */
  #recordWith(
    { discovery, client, scope }: Prepared,
    token: TokenSet,
    current: CredentialRecord | undefined,
  ): CredentialRecord {
    const { endpoints, resource } = discovery;
    return {
      version: 1,
      ...this.#credential.id,
      generation: (current?.generation ?? 0) + 1,
      endpoints,
      ...(resource !== undefined && { resource }),
      client: storedClient(client),
      token,
      ...(scope !== undefined && { requestedScope: scope }),
    };
  }
}

/** The code in a returned URL or query. It can be redeemed by anyone until it is used. */
function codesIn(returned: string): string[] {
  const query = returned.slice(returned.indexOf("?") + 1).split("#")[0] ?? "";
  return new URLSearchParams(query).getAll("code");
}
