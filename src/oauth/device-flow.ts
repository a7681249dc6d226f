import { OAuthFailure } from "./failure.ts";
import type { Discovery } from "./types.ts";

/** Rejects an authorization server without the device flow (RFC 8628). */
export function assertDeviceFlow(server: Discovery["server"]): void {
  if (server.device_authorization_endpoint !== undefined) return;
  throw new OAuthFailure(
    "unsupported",
    `The authorization server ${server.issuer} offers no login with a device code`,
    { hint: "Log in with a browser; the address that it ends at can be pasted" },
  );
}
