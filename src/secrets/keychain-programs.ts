import { windowsScript } from "./windows-credentials.ts";

/** One run of a program: its command line, and what it reads from standard input. */
export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string;
}

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How the keychain of a system is used. Values never appear on a command line. */
export interface KeychainProgram {
  readonly label: string;
  /** Longest value in characters that the program accepts. */
  readonly maxChars: number;
  /** What to do if the program is missing. */
  readonly install: string;
  get(name: string): ProgramRun;
  set(name: string, value: string): ProgramRun;
  remove(name: string): ProgramRun;
  /** Whether a run that failed means that there is no such secret. */
  isMissing(result: ProgramResult): boolean;
}

/** All secrets have this in common, so that nothing else in the keychain is ever touched. */
const SERVICE = "mcp-workbench";

const secretTool: KeychainProgram = {
  label: "the keychain (Secret Service)",
  // The program reads at most 8 KB.
  maxChars: 8000,
  install: "Install secret-tool (package libsecret-tools or libsecret)",
  get: (name) => linux(["lookup", "service", SERVICE, "account", name]),
  set: (name, value) =>
    linux(["store", `--label=MCP Workbench: ${name}`, "service", SERVICE, "account", name], value),
  remove: (name) => linux(["clear", "service", SERVICE, "account", name]),
  isMissing: ({ stderr }) => stderr.trim() === "",
};

function linux(args: readonly string[], input = ""): ProgramRun {
  return { program: "secret-tool", args, input };
}

const NOT_FOUND_ON_MACOS = 44;

const security: KeychainProgram = {
  label: "the keychain of macOS",
  // A command that the program reads from standard input has at most 4096 characters, and the value is in hexadecimal.
  maxChars: 1900,
  install: "It is part of macOS",
  get: (name) => macos(["find-generic-password", "-s", SERVICE, "-a", name, "-w"]),
  set: (name, value) => {
    const hex = Buffer.from(value).toString("hex");
    return macos(["-i"], `add-generic-password -U -s ${SERVICE} -a ${name} -X ${hex}\n`);
  },
  remove: (name) => macos(["delete-generic-password", "-s", SERVICE, "-a", name]),
  isMissing: ({ code }) => code === NOT_FOUND_ON_MACOS,
};

function macos(args: readonly string[], input = ""): ProgramRun {
  return { program: "/usr/bin/security", args, input };
}

const NOT_FOUND_ON_WINDOWS = 44;

const credentialManager: KeychainProgram = {
  label: "the Credential Manager of Windows",
  // A credential has at most 2560 bytes, two for each character.
  maxChars: 1280,
  install: "It needs Windows PowerShell, which is part of Windows",
  get: (name) => windows("get", name),
  set: (name, value) => windows("set", name, value),
  remove: (name) => windows("remove", name),
  isMissing: ({ code }) => code === NOT_FOUND_ON_WINDOWS,
};

function windows(action: "get" | "set" | "remove", name: string, value = ""): ProgramRun {
  const script = windowsScript(NOT_FOUND_ON_WINDOWS);
  const encoded = Buffer.from(script, "utf16le").toString("base64");
  const root = process.env["SystemRoot"] ?? String.raw`C:\Windows`;
  return {
    program: String.raw`${root}\System32\WindowsPowerShell\v1.0\powershell.exe`,
    args: ["-NoProfile", "-NonInteractive", "-EncodedCommand", encoded],
    input: [action, `${SERVICE}:${name}`, value].join("\n"),
  };
}

export function keychainProgram(platform: NodeJS.Platform): KeychainProgram {
  if (platform === "darwin") return security;
  return platform === "win32" ? credentialManager : secretTool;
}
