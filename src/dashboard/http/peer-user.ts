import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { endianness } from "node:os";

/** One end of a connection. */
export interface Peer {
  readonly address: string;
  readonly port: number;
}

const FILES = ["/proc/net/tcp", "/proc/net/tcp6"];
const UID_COLUMN = 7;

/**
 * The id of the user whose program has this end of a connection on this machine; undefined if the system does not say.
 * Other users of a machine can see the command line of a browser, and with it the link that it opens.
 */
export function userOf(peer: Peer, read: (file: string) => string = readText): number | undefined {
  const wanted = placesOf(peer);
  for (const file of FILES)
    for (const line of read(file).split("\n")) {
      const columns = line.trim().split(/\s+/);
      if (wanted.has(columns[1] ?? "")) return Number(columns[UID_COLUMN]);
    }
  return undefined;
}

/** As the system writes it: an IPv4 address may be that of an IPv6 socket, too. */
function placesOf({ address, port }: Peer): ReadonlySet<string> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  if (!isIPv4(plain)) return new Set(plain === "::1" ? [`${LOOPBACK_6}:${hexPort}`] : []);
  const bytes = plain.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
  const word = (isLittle ? bytes.toReversed() : bytes).join("").toUpperCase();
  const mapped = `0000000000000000${isLittle ? "FFFF0000" : "0000FFFF"}${word}`;
  return new Set([`${word}:${hexPort}`, `${mapped}:${hexPort}`]);
}

const isLittle = endianness() === "LE";
const LOOPBACK_6 = `000000000000000000000000${isLittle ? "01000000" : "00000001"}`;

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
