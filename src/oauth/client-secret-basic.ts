import type { ClientAuth } from "oauth4webapi";

/**
 * Sends the id and the secret of the client in a header. OAuth requires both encoded as in a form. The
 * function of `oauth4webapi` escapes hyphens, dots and underscores as well, and authorization servers
 * that do not decode them refuse most clients then.
 */
export function clientSecretBasic(secret: string): ClientAuth {
  return (_server, { client_id: id }, _body, headers) => {
    const credentials = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`);
    headers.set("authorization", `Basic ${credentials.toString("base64")}`);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
