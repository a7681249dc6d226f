import * as z from "zod";

export const nonEmpty = () => z.string().min(1);

/** Any name but those that the authorization request itself consists of. */
const AUTHORIZATION_PARAMETER =
  /^(?!(?:client_id|client_secret|client_assertion|client_assertion_type|redirect_uri|scope|state|nonce|response_type|response_mode|code_challenge|code_challenge_method|resource|request|request_uri|registration|dpop_jkt)$)[A-Za-z0-9_.:-]+$/;

const webUrl = (advice: string) =>
  z.string().regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s]+$|\$\{/, advice);

/** The setting `oauth` of a remote server. */
export const oauthSchema = z
  .strictObject({
    account: z
      .string()
      .regex(
        /^[A-Za-z0-9._@+-]{1,64}$/,
        "is not a valid account name. Use 1 to 64 letters (A-Z, a-z), digits and any of . _ @ + -",
      )
      .default("default")
      .describe("Name for the account; servers with the same URL and account share a sign-in."),
    clientId: nonEmpty()
      .optional()
      .describe("Client id that was registered with the authorization server by hand."),
    clientSecret: nonEmpty()
      .optional()
      .describe("Its secret. Write a reference such as `${NAME}` instead of the value."),
    clientAuth: z
      .enum(["none", "client_secret_basic", "client_secret_post", "private_key_jwt"])
      .optional()
      .describe(
        "How the client identifies itself; by default what the authorization server offers.",
      ),
    privateKey: nonEmpty()
      .optional()
      .describe("Key for `private_key_jwt`: PKCS #8 in PEM, or a JSON Web Key. Write a reference."),
    grant: z
      .enum(["authorization_code", "device_code", "client_credentials"])
      .default("authorization_code")
      .describe(
        "How tokens are obtained: in a browser, with a code on another device, or without a user.",
      ),
    scopes: z
      .array(
        nonEmpty().regex(
          /^[\u0021\u0023-\u005b\u005d-\u007e]+$|\$\{/,
          "is not a scope. Write one scope per item",
        ),
      )
      .optional()
      .describe("Scopes to request instead of those the server asks for."),
    issuer: webUrl("is not a URL. Write the issuer as the authorization server does")
      .optional()
      .describe("The only authorization server to use, exactly as it names itself."),
    redirectUri: webUrl(
      "is not a URL. Write it as it was registered, such as http://127.0.0.1:8765/callback",
    )
      .optional()
      .describe(
        "Redirect URI that was registered by hand; `http://127.0.0.1:PORT/…` for logins on this machine.",
      ),
    authorizationParams: z
      .record(
        z
          .string()
          .regex(
            AUTHORIZATION_PARAMETER,
            "cannot be set here: the sign-in sets this parameter, or the name is not valid. Remove it",
          ),
        z.string(),
      )
      .optional()
      .describe(
        'Further parameters of the authorization request, such as `"access_type": "offline"`.',
      ),
    resource: z
      .union([z.literal(false), nonEmpty()])
      .optional()
      .describe(
        "Resource indicator to send; `false` sends none. By default what the server states.",
      ),
    clientMetadataUrl: z
      .string()
      .regex(/^https:\/\/[^\s]+$|\$\{/, "is not an https URL. Correct it")
      .optional()
      .describe("URL of a client metadata document, which is then the client id."),
  })
  .describe("How to sign in with OAuth.");
