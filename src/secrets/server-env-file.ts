import { reasonOf } from "../errors.ts";
import { readRegularFile } from "../files/read-regular-file.ts";
import { codeOf } from "../text/error-code.ts";
import { parseDotenv, variablesOf } from "./dotenv.ts";

const MAX_BYTES = 1024 * 1024;

/**
 * The variables in the `envFile` of a server. As in the clients that have this setting, lines that
 * cannot be read are ignored. Throws an error that names the file.
 */
export function readServerEnvFile(file: string): Readonly<Record<string, string>> {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(file);
  } catch (error) {
    const isMissing = codeOf(error) === "ENOENT";
    const reason = isMissing ? "it does not exist" : reasonOf(error);
    throw new Error(`cannot read its envFile ${file}: ${reason}`, { cause: error });
  }
  if (bytes.length > MAX_BYTES)
    throw new Error(`cannot read its envFile ${file}: it is larger than ${MAX_BYTES / 1024} KB`);
  const variables = [...variablesOf(parseDotenv(bytes.toString("utf8")))];
  // The operating system rejects the others, with a message that contains the value.
  return Object.fromEntries(variables.filter(([, value]) => !value.includes("\0")));
}
