import type { HttpSettings } from "../../config/types.ts";
import { workbenchError } from "../../errors.ts";
import { isLoopback } from "../../text/loopback.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { type Address, authority } from "./address.ts";

/** The addresses of the workbench that the configuration states. The first one is for browsers. */
export function announcedAddresses({ publicUrl, oauth }: HttpSettings): readonly string[] {
  return [publicUrl, oauth?.resource].filter((address) => address !== undefined);
}

/** Where the workbench listens. */
interface Bound {
  readonly ip: string;
  /** With scheme and port, as clients on this machine use it. */
  readonly url: string;
  /** Further names that clients may use. */
  readonly allowedHosts: readonly string[];
}

/**
 * Makes known where clients and browsers reach the workbench. Without a stated address, that is certain only if
 * all of them are on this machine.
 */
export function announceAddress(workbench: Workbench, { ip, url, allowedHosts }: Bound): void {
  const { host } = workbench;
  // A proxy in front of it may have clients anywhere.
  if (!isLoopback(ip) || allowedHosts.length > 0) host.areClientsLocal = false;
  host.publicAddress = () => {
    const [stated] = announcedAddresses(workbench.settings.http);
    if (stated !== undefined) return new URL(stated).origin;
    return host.areClientsLocal ? url : undefined;
  };
}

/** Throws if anyone who can reach this address could use the workbench. */
export function assertProtected(token: string | undefined, ip: string, address: Address): void {
  if (token !== undefined || isLoopback(ip)) return;
  const reason = `without a token, anyone who can reach ${ip} could use it`;
  throw workbenchError("CANNOT_LISTEN", { address: authority(address), reason });
}
