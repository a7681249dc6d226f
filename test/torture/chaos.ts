/** The servers that go wrong, as entries of a configuration. */
import { fileURLToPath } from "node:url";
import type { ServerEntry } from "../support/servers.ts";

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
export const CHAOS = pathOf("chaos.mjs");

/** The server of `test/fixtures/chaos.mjs` with these options. */
export function chaos(...options: readonly string[]): ServerEntry {
  return { command: process.execPath, args: [CHAOS, ...options] };
}

/** The same behind a wrapper that does not forward signals, like `npx`. */
export function wrappedChaos(...options: readonly string[]): ServerEntry {
  return { command: process.execPath, args: [pathOf("wrapper.mjs"), CHAOS, ...options] };
}

/** Keeps running until it is killed. */
export const STUBBORN = ["--ignore-eof", "--ignore-term"] as const;
