/**
 * The ports on which a browser returns from a login; the first free one is used. Many authorization
 * servers compare redirect URIs exactly, so a registration can be used again only on its own port, and a
 * client metadata document lists all of them. They are not assigned to other software, and below the ports that operating systems give to outgoing connections.
 */
export const LOGIN_PORTS: readonly number[] = [23871, 26739, 28471];

/** Linux gives these ports to any connection; macOS and Windows begin later. */
const FIRST_EPHEMERAL_PORT = 32_768;

const CALLBACK_PATH = "/callback";

/** Not `localhost`: authorization servers take it for a different address. */
export function redirectUriOf(port: number): string {
  return `http://127.0.0.1:${port}${CALLBACK_PATH}`;
}

/** The redirect URIs to register. */
export const LOGIN_REDIRECT_URIS: readonly string[] = LOGIN_PORTS.map(redirectUriOf);

/**
 * The ports to try, the best one first. With the port of an existing registration, no other one is
 * needed; but a port that any connection may take is not worth keeping.
 */
export function portsToTry(registered: string | undefined): readonly number[] {
  const port = registered === undefined ? 0 : Number(new URL(registered).port);
  const isKept = port > 0 && port < FIRST_EPHEMERAL_PORT;
  return [...new Set([...(isKept ? [port] : []), ...LOGIN_PORTS])];
}
