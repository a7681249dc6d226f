import { isIPv6 } from "node:net";

import { workbenchError } from "../../errors.ts";

/** Where the workbench listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_HOST = "127.0.0.1";
const HOST_AND_PORT = /^(?:(\[[^[\]]+\]|[^:[\]/\s@]+):)?(\d{1,5})$/;

/** Reads `port`, `host:port` or `[ipv6]:port`, the value of this option. */
export function parseAddress(text: string, option = "--http"): Address {
  const [matched, written = DEFAULT_HOST, digits] = HOST_AND_PORT.exec(text) ?? [];
  const host = written.startsWith("[") ? written.slice(1, -1) : written;
  const port = Number(digits);
  if (matched === undefined || port > 65_535 || (host !== written && !isIPv6(host)))
    throw workbenchError(
      "USAGE",
      { reason: `${option} '${text}' is neither a port nor host:port` },
      `Write for example ${option} 7333, ${option} 127.0.0.1:7333 or ${option} [::1]:7333`,
    );
  return { host, port };
}

const NAME = /^(?:\[[0-9a-f:.]+\]|[^:[\]/\s@]+)(?::\d{1,5})?$/i;

/** Throws if this cannot be a host name, with or without a port, in a Host header. */
export function checkHostName(name: string): void {
  if (NAME.test(name)) return;
  const reason = `--allow-host '${name}' is neither a name nor name:port`;
  throw workbenchError("USAGE", { reason }, "Write for example --allow-host workbench.example.com");
}

/** Host and port as written in a URL and in the Host header. */
export function authority({ host, port }: Address): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Where clients connect to: a server that listens everywhere is reached from here by loopback. */
export function urlOf(address: Address, scheme: "http" | "https" = "http"): string {
  const host = isUnspecified(address.host) ? "127.0.0.1" : address.host;
  return `${scheme}://${authority({ ...address, host })}`;
}

function isUnspecified(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
