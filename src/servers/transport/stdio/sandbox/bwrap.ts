import { basename, dirname, isAbsolute, join, relative } from "node:path";
import type { SandboxSettings } from "../../../../config/types.ts";
import { isWithin, realPathOf } from "../../../../files/real-path.ts";
import type { CommandLine } from "./command-line.ts";
import { kindOf } from "./kind-of.ts";

/** Programs and libraries, which every server needs. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];
/** What programs read of the settings of the machine; none of it is secret. */
const SYSTEM_SETTINGS = [
  "alternatives",
  "ca-certificates",
  "crypto-policies",
  "gai.conf",
  "group",
  "host.conf",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki/tls",
  "pki/ca-trust",
  "protocols",
  "resolv.conf",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
];

/** What the sandbox has for itself. */
const OWN = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"];

export interface BwrapContext {
  readonly home: string;
  /** Our own Node.js, which is at the end of the search path of servers. */
  readonly node: string;
  /** Files and folders of the workbench that no server may reach, whatever it may read. */
  readonly protect: readonly string[];
}

/**
 * The command line that starts a server in bubblewrap. The server sees the programs of the machine,
 * an empty home folder, its own processes, and what the settings name; nothing else exists for it. Its
 * variables are those of the bwrap process: on a command line, other users could read them.
 */
export function bwrapCommand(
  { command, args, env, cwd }: CommandLine,
  { read, write, network }: SandboxSettings,
  { home, node, protect }: BwrapContext,
): CommandLine {
  const shown = [...read, ...write];
  const needed = [...installationOf(node), ...(isAbsolute(command) ? [command] : [])];
  const readOnly = [...needed.filter((path) => !isSystem(path)), ...read];
  const isVisible = (path: string): boolean => shown.some((folder) => isWithin(path, folder));
  const folder = cwd !== undefined && (isVisible(cwd) || isSystem(cwd)) ? cwd : "/tmp";
  return {
    command: "bwrap",
    args: [
      "--unshare-all",
      ...(network ? ["--share-net"] : []),
      "--die-with-parent",
      "--new-session",
      ...SYSTEM.flatMap((path) => ["--ro-bind-try", path, path]),
      ...SYSTEM_SETTINGS.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
      ...OWN,
      ...(isSystem(home) || home === "/" ? [] : ["--tmpfs", home]),
      ...readOnly.flatMap((path) => ["--ro-bind", path, path]),
      ...write.flatMap((path) => ["--bind", path, path]),
      ...protect.flatMap((path) => hidden(path, [...readOnly, ...write])),
      ...placesOf("/proc", shown).flatMap((at) => ["--proc", at]),
      ...placesOf("/dev", shown).flatMap((at) => ["--dev", at]),
      "--chdir",
      folder,
      "--",
      command,
      ...args,
    ],
    env,
    cwd: undefined,
  };
}

/** Covers a path in every folder that the server sees it in, which may be a symbolic link. */
function hidden(path: string, shown: readonly string[]): string[] {
  const kind = kindOf(path);
  if (kind === undefined) return [];
  return placesOf(path, shown).flatMap((at) =>
    kind === "folder" ? ["--tmpfs", at] : ["--ro-bind", "/dev/null", at],
  );
}

/** Where a path is in the folders that the server sees. */
function placesOf(path: string, shown: readonly string[]): string[] {
  return shown
    .filter((folder) => isWithin(path, folder))
    .map((folder) => join(folder, relative(realPathOf(folder), realPathOf(path))));
}

/** Where programs and their libraries are, without the rest of the folder they are in. */
function installationOf(program: string): string[] {
  const folder = dirname(program);
  if (isSystem(program)) return [];
  if (basename(folder) !== "bin") return [program];
  return [folder, join(dirname(folder), "lib")].filter((path) => kindOf(path) === "folder");
}

function isSystem(path: string): boolean {
  return SYSTEM.some((folder) => isWithin(path, folder));
}
