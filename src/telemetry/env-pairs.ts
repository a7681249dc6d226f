/** A list of the form `key=value,key=value`, with percent-encoded values. */
export interface Pairs {
  readonly pairs: readonly (readonly [key: string, value: string])[];
  /** How many parts could not be read. */
  readonly invalid: number;
}

/** Reads the format that OpenTelemetry uses for headers and resource attributes. */
export function readPairs(text: string): Pairs {
  const pairs: [string, string][] = [];
  let invalid = 0;
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const equals = part.indexOf("=");
    const key = decoded(part.slice(0, Math.max(equals, 0)));
    const value = decoded(part.slice(equals + 1));
    if (key === undefined || key === "" || value === undefined) invalid++;
    else pairs.push([key, value]);
  }
  return { pairs, invalid };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
}
