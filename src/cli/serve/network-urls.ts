import { hostname, networkInterfaces } from "node:os";

import { authority } from "../../serve/http/address.ts";
import { isLoopback } from "../../text/loopback.ts";

/** Where clients reach the workbench. */
export interface Reachable {
  /** From this machine. */
  readonly url: string;
  /** From other machines, if it listens on all addresses. */
  readonly network: readonly string[];
  /** The name of this machine, unless the user has already chosen the names that clients may use. */
  readonly hostName: string | undefined;
}

export function reachableAt(host: string, url: string, allowedHosts: readonly string[]): Reachable {
  const { protocol, port } = new URL(url);
  const defaultPort = protocol === "https:" ? 443 : 80;
  const network = networkUrls(host, Number(port || defaultPort)).map((address) =>
    address.replace("http:", protocol),
  );
  return { url, network, hostName: allowedHosts.length === 0 ? ownHostName() : undefined };
}

/** The part of a network interface that is needed here. */
export interface InterfaceAddress {
  readonly address: string;
  readonly family: string;
  readonly internal: boolean;
}

/**
 * The URLs by which other machines reach a workbench that listens on all addresses (`0.0.0.0` or
 * `::`), IPv4 first; empty if it listens on one address only.
 */
export function networkUrls(
  host: string,
  port: number,
  interfaces: readonly InterfaceAddress[] = ownAddresses(),
): readonly string[] {
  if (host !== "0.0.0.0" && host !== "::") return [];
  const families = host === "::" ? ["IPv4", "IPv6"] : ["IPv4"];
  return families.flatMap((family) =>
    interfaces
      .filter((one) => one.family === family && !one.internal && isUsable(one.address))
      .map(({ address }) => `http://${authority({ host: address, port })}`),
  );
}

/** The host name that other machines probably use for this one; undefined if it has none. */
function ownHostName(): string | undefined {
  const name = hostname();
  return name === "" || isLoopback(name) ? undefined : name;
}

/** Link-local IPv6 addresses need a zone, which URLs of most clients cannot have. */
const isUsable = (address: string): boolean => !/^fe80:/i.test(address);

function ownAddresses(): readonly InterfaceAddress[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
}
