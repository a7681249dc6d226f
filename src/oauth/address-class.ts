import { isIPv4, isIPv6 } from "node:net";

/**
 * Who can be at an address: anyone, the local network, this machine, the same network link, or no host.
 * `link-local` includes the address at which clouds give credentials to any program that asks.
 */
export type AddressClass = "public" | "private" | "loopback" | "link-local" | "special";

type Range = readonly [prefix: string, bits: number, kind: AddressClass];

const IPV4: readonly Range[] = [
  ["0.0.0.0", 8, "special"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "private"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "special"],
  ["192.0.2.0", 24, "special"],
  ["192.88.99.0", 24, "special"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "private"],
  ["198.51.100.0", 24, "special"],
  ["203.0.113.0", 24, "special"],
  ["224.0.0.0", 3, "special"],
];

const IPV6: readonly Range[] = [
  ["::1", 128, "loopback"],
  ["64:ff9b:1::", 48, "private"],
  ["100::", 64, "special"],
  ["2001::", 23, "special"],
  ["2001:db8::", 32, "special"],
  ["3fff::", 20, "special"],
  ["fc00::", 7, "private"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "private"],
  ["ff00::", 8, "special"],
];

/** IPv6 addresses that lead to the IPv4 address in them, and where it starts, in groups. */
const EMBEDDING: readonly (readonly [prefix: string, bits: number, at: number])[] = [
  ["::ffff:0:0", 96, 6],
  ["::ffff:0:0:0", 96, 6],
  ["64:ff9b::", 96, 6],
  ["2002::", 16, 1],
];

/** The class of an IP address as the system writes it. Everything unknown is `special`. */
export function addressClass(address: string): AddressClass {
  const plain = address.replace(/%.*$/, "");
  if (isIPv4(plain)) return rangeOf(bitsOfIPv4(plain), IPV4) ?? "public";
  if (!isIPv6(plain)) return "special";
  const groups = groupsOf(plain);
  const bits = bitsOfGroups(groups);
  const known = rangeOf(bits, IPV6);
  if (known !== undefined) return known;
  for (const [prefix, length, at] of EMBEDDING)
    if (isInRange(bits, prefix, length))
      return rangeOf(bitsOfGroups(groups.slice(at, at + 2)), IPV4) ?? "public";
  // Only this part of the address space is assigned to hosts that everyone can reach.
  return isInRange(bits, "2000::", 3) ? "public" : "special";
}

function rangeOf(bits: string, ranges: readonly Range[]): AddressClass | undefined {
  return ranges.find(([prefix, length]) => isInRange(bits, prefix, length))?.[2];
}

function isInRange(bits: string, prefix: string, length: number): boolean {
  const start = isIPv4(prefix) ? bitsOfIPv4(prefix) : bitsOfGroups(groupsOf(prefix));
  return start.length === bits.length && bits.startsWith(start.slice(0, length));
}

function bitsOfIPv4(address: string): string {
  return address
    .split(".")
    .map((byte) => Number(byte).toString(2).padStart(8, "0"))
    .join("");
}

function bitsOfGroups(groups: readonly number[]): string {
  return groups.map((group) => group.toString(2).padStart(16, "0")).join("");
}

/** The eight groups of a valid IPv6 address, which may end with an IPv4 address. */
function groupsOf(address: string): number[] {
  const hex = address.replace(/\d+\.\d+\.\d+\.\d+$/, (dotted) => {
    const bits = bitsOfIPv4(dotted);
    return [bits.slice(0, 16), bits.slice(16)].map((b) => parseInt(b, 2).toString(16)).join(":");
  });
  const [start = "", end] = hex.split("::");
  const list = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => parseInt(group, 16));
  const [first, last] = [list(start), list(end ?? "")];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}
