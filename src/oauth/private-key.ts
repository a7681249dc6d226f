import { createPrivateKey, webcrypto, type KeyObject } from "node:crypto";

import { isObject, parseJson } from "../text/json.ts";
import { OAuthFailure } from "./failure.ts";

/** The type of `oauth4webapi` for the same thing. */
export interface SigningKey {
  readonly key: webcrypto.CryptoKey;
  readonly kid?: string;
}

const HINT =
  'Set "privateKey" in "oauth" to an RSA, EC or Ed25519 key, as PKCS #8 in PEM or as a JSON Web Key';

/** Reads the key of a client. `accepted` are the algorithms that the authorization server lists. */
export async function signingKey(
  text: string | undefined,
  accepted: readonly string[] | undefined,
): Promise<SigningKey> {
  if (text === undefined)
    throw new OAuthFailure("client", "The client has to sign its requests, but has no key", {
      hint: HINT,
    });
  const jwk = parseJson(text);
  const kid = isObject(jwk) && typeof jwk["kid"] === "string" ? jwk["kid"] : undefined;
  let object: KeyObject;
  try {
    object = createPrivateKey(isObject(jwk) ? { key: jwk, format: "jwk" } : text);
  } catch {
    // The cause could quote the key.
    throw new OAuthFailure("client", "The private key of the client cannot be read", {
      hint: HINT,
    });
  }
  const algorithm = algorithmOf(object, accepted);
  const der = object.export({ type: "pkcs8", format: "der" });
  const key = await webcrypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
  return { key, ...(kid !== undefined && { kid }) };
}

function algorithmOf(
  key: KeyObject,
  accepted: readonly string[] | undefined,
): { name: string; hash?: string; namedCurve?: string } {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const namedCurve = CURVES[curve ?? ""];
  if (key.asymmetricKeyType === "ec" && namedCurve !== undefined)
    return { name: "ECDSA", namedCurve };
  if (key.asymmetricKeyType === "ed25519") return { name: "Ed25519" };
  if (key.asymmetricKeyType !== "rsa")
    throw new OAuthFailure("client", "The private key of the client has an unsupported type", {
      hint: HINT,
    });
  const wantsPss = accepted?.includes("RS256") === false && accepted.includes("PS256");
  return { name: wantsPss ? "RSA-PSS" : "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
}

const CURVES: Readonly<Record<string, string | undefined>> = {
  prime256v1: "P-256",
  secp384r1: "P-384",
  secp521r1: "P-521",
};
