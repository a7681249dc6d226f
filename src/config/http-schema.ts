import * as z from "zod";
import { bytes, milliseconds } from "./limits-schema.ts";
import { nonEmpty } from "./oauth-schema.ts";

/** Only signatures whose key can be public: with a shared secret, anyone who checks could also issue. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

/** The characters of a scope (RFC 6749). */
const SCOPE = /^[\u0021\u0023-\u005b\u005d-\u007e]+$/;
const NOT_A_SCOPE = "is not a scope. Remove spaces, quotes and characters outside ASCII";

/** The address of a workbench, without a path. */
const address = () =>
  z
    .string()
    .regex(
      /^[Hh][Tt][Tt][Pp][Ss]?:\/\/(?:[^\s/?#@:[\]]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$|\$\{/,
      "is not an address without a path. Write for example https://workbench.example.com",
    );

const grant = z
  .strictObject({
    toolboxes: z.array(nonEmpty()).optional().describe("Toolboxes with all their servers."),
    servers: z
      .array(nonEmpty().regex(/^[^/]+\/[^/]+$|\$\{/, "is not TOOLBOX/SERVER. Correct it"))
      .optional()
      .describe("Single servers in addition, as `toolbox/server`."),
    readOnly: z
      .boolean()
      .default(false)
      .describe("Whether only tools of the class `read` may be used there."),
    request: z
      .array(z.string().regex(SCOPE, NOT_A_SCOPE))
      .optional()
      .describe(
        "The scopes that clients ask for to get this one, if they have other names or none, as for roles and groups; by default the scope itself.",
      ),
  })
  .describe("What a scope allows; everything if neither `toolboxes` nor `servers` is given.");

/** The setting `http.oauth`. */
const identityProvider = z
  .strictObject({
    issuer: z
      .string()
      .regex(
        /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s?#]+$|\$\{/,
        "is not a URL. Write the issuer exactly as its tokens name it",
      )
      .describe(
        "The identity provider, exactly as its tokens name it. `https://`, or `http://` on this machine.",
      ),
    resource: address().describe(
      "Address that clients use, without a path, such as `https://workbench.example.com`. Its host is allowed as with `--allow-host`.",
    ),
    audiences: z
      .array(nonEmpty())
      .min(1)
      .describe(
        "Values of `aud` that are accepted: what the identity provider writes into tokens for the workbench. One of them is enough.",
      ),
    scopes: z
      .record(z.string().regex(SCOPE, NOT_A_SCOPE), grant)
      .describe("What users may use, by the scopes, roles or groups in their tokens."),
    algorithms: z
      .array(z.enum(ALGORITHMS))
      .min(1)
      .default(["RS256", "ES256"])
      .describe("Signatures that are accepted."),
    jwksUri: z
      .string()
      .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s#]+$|\$\{/, "is not a URL. Correct it")
      .optional()
      .describe("Where its keys are; by default the address in its metadata."),
    claims: z
      .strictObject({
        scope: nonEmpty()
          .optional()
          .describe(
            "Claim with the scopes, as text or a list; `a.b` is a claim inside of another. By default `scope` and `scp`.",
          ),
        subject: nonEmpty()
          .default("sub")
          .describe("Claim that identifies the user; it must never be given to another one."),
        name: nonEmpty()
          .optional()
          .describe(
            "Claim with the name that rules, logs and the audit log show, after `oauth:`; by default the subject. Choose one that users cannot change.",
          ),
      })
      .prefault({})
      .describe("Where the tokens of this identity provider have what is needed."),
  })
  .describe("Accepts users of an identity provider, in addition to access tokens.");

const tls = z
  .strictObject({
    cert: nonEmpty().describe("File with the certificate and its chain, in PEM."),
    key: nonEmpty().describe("File with its private key, in PEM."),
  })
  .describe(
    "Serves HTTPS. Relative paths are resolved against the folder of this file; a changed certificate is used without a restart.",
  );

/** The setting `http`. */
export const httpSchema = z
  .strictObject({
    sessions: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(1_000)
      .describe(
        "Largest number of sessions at the same time, for each access token, each user and for your own.",
      ),
    sessionIdleMs: milliseconds(1)
      .default(1_800_000)
      .describe("A session without activity for this long is closed."),
    bodyBytes: bytes().default(8_388_608).describe("Largest request body."),
    publicUrl: address()
      .optional()
      .describe(
        'Address at which browsers of users reach the workbench, without a path: where they sign in to servers with `"credentials": "perUser"`. Its host is allowed as with `--allow-host`. By default `oauth.resource`.',
      ),
    oauth: identityProvider.optional(),
    tls: tls.optional(),
  })
  .describe("Settings for serving over HTTP.");
