/**
 * Uses the credential store with the real keychain of a D-Bus session; `keychain.full.test.ts` starts it.
 * Prints one JSON object with what it found.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { credentialFileName } from "../../src/credentials/credential-id.ts";
import type { CredentialRecord } from "../../src/credentials/record.ts";
import { openCredentialStore } from "../../src/credentials/store.ts";
import type { CredentialMode } from "../../src/config/types.ts";
import type { CredentialStore } from "../../src/credentials/types.ts";
import { reasonOf } from "../../src/errors.ts";
import { runKeyring } from "../../src/secrets/keyring-process.ts";
import { CANARY, recordOf } from "../support/credentials.ts";
import { LOCKED_FILE } from "../support/gnome-keyring.ts";

const [folder = "", account] = process.argv.slice(2);
const KEYCHAIN = "org.freedesktop.secrets";
const ENTRY = { service: "mcp-workbench", account: "credentials-key" } as const;
const KEYRING = { env: process.env, timeoutMs: 30_000 };

const open = (mode: CredentialMode): CredentialStore =>
  openCredentialStore({ mode, env: process.env, folder });
const isPlain = (record: CredentialRecord): boolean =>
  readFileSync(join(folder, credentialFileName(record)), "utf8").includes(CANARY);
const outcome = (work: Promise<unknown>): Promise<string> => work.then(() => "ok", reasonOf);

/** Calls a method on the session bus; returns what `gdbus` prints. */
function callBus(dest: string, path: string, method: string, ...args: string[]): string {
  const target = ["--session", "--timeout", "120", "--dest", dest, "--object-path", path];
  return execFileSync("gdbus", ["call", ...target, "--method", method, ...args], {
    encoding: "utf8",
  });
}

const callKeychain = (method: string, ...args: string[]): string =>
  callBus(KEYCHAIN, "/org/freedesktop/secrets", method, ...args);

/** The process that answers for the keychain now; it is started if it is not running. */
function keychainPid(): number {
  callKeychain("org.freedesktop.DBus.Peer.Ping");
  const method = "org.freedesktop.DBus.GetConnectionUnixProcessID";
  const answer = callBus("org.freedesktop.DBus", "/org/freedesktop/DBus", method, KEYCHAIN);
  return Number(/uint32 (\d+)/.exec(answer)?.[1]);
}

async function runAll(): Promise<object> {
  const script = fileURLToPath(import.meta.url);
  const children = ["1", "2", "3", "4"].map((name) =>
    spawn(process.execPath, ["--import", "tsx", script, folder, name], {
      stdio: "inherit",
    }),
  );
  await Promise.all(children.map((child) => once(child, "exit")));
  const listed = await open("keychain").list();
  const created = {
    readable: listed.filter((entry) => "record" in entry).length,
    plain: ["1", "2", "3", "4"].filter((name) => isPlain(recordOf("https://a.example", name)))
      .length,
    protection: await open("auto").protection(),
    readInFileMode: await outcome(open("file").read(recordOf("https://a.example", "1"))),
  };

  // Also for a daemon that replaces this one.
  writeFileSync(join(process.env["XDG_RUNTIME_DIR"] ?? "", LOCKED_FILE), "");
  callKeychain(
    "org.freedesktop.Secret.Service.Lock",
    "['/org/freedesktop/secrets/collection/login']",
  );
  const inAuto = open("auto");
  await inAuto.write(recordOf("https://locked.example"));
  const locked = {
    read: await outcome(open("auto").read(recordOf("https://a.example", "1"))),
    write: await outcome(open("keychain").write(recordOf("https://locked.example"))),
    isPlain: isPlain(recordOf("https://locked.example")),
    protection: await inAuto.protection(),
  };

  // The keychain is there, but does not answer.
  const pid = keychainPid();
  process.kill(pid, "SIGSTOP");
  let turns = 0;
  const timer = setInterval(() => turns++, 10);
  const hanging = open("auto");
  await hanging.write(recordOf("https://hanging.example"));
  clearInterval(timer);
  const stopped = {
    isPlain: isPlain(recordOf("https://hanging.example")),
    protection: await hanging.protection(),
    isResponsive: turns > 10,
  };
  process.kill(pid, "SIGKILL");
  return { created, locked, stopped };
}

async function removeKey(): Promise<object> {
  await open("keychain").write(recordOf("https://gone.example"));
  await runKeyring({ ...ENTRY, action: "delete" }, KEYRING);
  return { read: await outcome(open("keychain").read(recordOf("https://gone.example"))) };
}

if (account === undefined) {
  // No request of the program is the one that waits for the start of the keychain.
  keychainPid();
  // Before the keychain is locked.
  const gone = await removeKey();
  process.stdout.write(JSON.stringify({ gone, ...(await runAll()) }));
} else {
  await open("keychain").write(recordOf("https://a.example", account));
}
