import type { LookupAddress } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";

import { addressClass, type AddressClass } from "./address-class.ts";
import { hostOf, isLoopbackServer } from "./allowed-url.ts";
import { OAuthFailure } from "./failure.ts";
import type { Lookup } from "./types.ts";

const DESCRIPTIONS: Readonly<Record<AddressClass, string>> = {
  public: "a public address",
  private: "a private address",
  loopback: "an address of this machine",
  "link-local": "a link-local address",
  special: "an address that no host has",
};

/**
 * The addresses of a host, all of which may be contacted. A request must connect to one of them and may
 * not resolve the name once more: the answer could differ (DNS rebinding).
 *
 * A server may only point to its own kind of network: the local network if it is there itself, this
 * machine if the user configured it as `localhost`. Otherwise, a server on the internet could make the
 * workbench send requests to devices that the server cannot reach.
 */
export async function reachableAddresses(
  url: URL,
  serverUrl: string,
  lookup: Lookup = lookupAll,
): Promise<readonly LookupAddress[]> {
  const host = hostOf(url);
  const addresses = await addressesOf(host, lookup);
  for (const { address } of addresses) {
    const kind = addressClass(address);
    // Names such as localhost must not lead to other machines without encryption.
    const isWrong = url.protocol === "http:" && kind !== "loopback";
    if (isWrong || !(await isAllowed(kind, serverUrl, lookup)))
      throw new OAuthFailure(
        "metadata",
        `The server refers to ${url.host}, which is ${DESCRIPTIONS[kind]} (${address})`,
        { hint: "Only a server in the same network may do that, so nothing was sent" },
      );
  }
  return addresses;
}

async function isAllowed(kind: AddressClass, serverUrl: string, lookup: Lookup): Promise<boolean> {
  if (kind === "public") return true;
  if (kind === "special") return false;
  // Decided by its name: what a name of the internet resolves to, its owner decides.
  if (kind === "loopback") return isLoopbackServer(serverUrl);
  const own = await addressesOf(hostOf(new URL(serverUrl)), lookup);
  return own.every(({ address }) => {
    const ownKind = addressClass(address);
    return ownKind === kind || (kind === "private" && ownKind === "loopback");
  });
}

async function addressesOf(host: string, lookup: Lookup): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const addresses = await lookup(host);
  if (addresses.length === 0) throw new OAuthFailure("network", `The host ${host} has no address`);
  return addresses;
}

function lookupAll(host: string): Promise<readonly LookupAddress[]> {
  return systemLookup(host, { all: true });
}
