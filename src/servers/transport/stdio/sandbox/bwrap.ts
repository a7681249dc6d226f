import { basename, dirname, isAbsolute, join } from "node:path";
import type { SandboxSettings } from "../../../../config/types.ts";
import { isWithin } from "../../../../files/real-path.ts";
import type { CommandLine } from "./command-line.ts";
import { coverArguments, mountsOf, placesOf } from "./covers.ts";
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
      ...mountsOf({ read: readOnly, write }),
      ...coverArguments(protect, { read: [...SYSTEM.filter(kindOf), ...readOnly], write }),
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
