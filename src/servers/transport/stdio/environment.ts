/**
 * A server inherits only what every program needs to run, plus what its configuration declares.
 * The list is the one of the official SDK. Handing over the whole environment would give each
 * server the credentials of all the others.
 */

const INHERITED =
  process.platform === "win32"
    ? [
        "APPDATA",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMFILES",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "USERNAME",
        "USERPROFILE",
      ]
    : ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

export function serverEnvironment(
  declared: Readonly<Record<string, string>>,
  inheritEnv: readonly string[],
  source: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of [...INHERITED, ...inheritEnv]) {
    const value = source[name];
    // A value that starts with "()" is an exported shell function: code, not a setting.
    if (value !== undefined && !value.startsWith("()")) env[name] = value;
  }
  return Object.assign(env, declared);
}
