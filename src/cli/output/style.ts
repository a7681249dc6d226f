import type { Environment } from "../../config/canonical/expand.ts";

/** Colours and emphasis; each function returns its text unchanged if they are disabled. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export function styleFor(colours: boolean): Style {
  const paint = (name: keyof typeof CODES) => {
    const [on, off] = CODES[name];
    return (text: string): string =>
      colours && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    cyan: paint("cyan"),
  };
}

/**
 * Whether a stream gets colours: `NO_COLOR` and `--no-color` say never, `FORCE_COLOR` says always,
 * otherwise only a terminal gets them.
 */
export function wantsColours(env: Environment, isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return isTerminal && env["TERM"] !== "dumb";
}
