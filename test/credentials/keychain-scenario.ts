/**
 * Uses the credential store with the real keychain of a D-Bus session; `keychain.full.test.ts` starts it.
 * Prints one JSON object with what it found.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
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

const [folder = "", daemon = "", account] = process.argv.slice(2);
const ENTRY = { service: "mcp-workbench", account: "credentials-key" } as const;
const KEYRING = { env: process.env, timeoutMs: 30_000 };

const open = (mode: CredentialMode): CredentialStore =>
  openCredentialStore({ mode, env: process.env, folder });
const isPlain = (record: CredentialRecord): boolean =>
  readFileSync(join(folder, credentialFileName(record)), "utf8").includes(CANARY);
const outcome = (work: Promise<unknown>): Promise<string> => work.then(() => "ok", reasonOf);

async function runAll(): Promise<object> {
  const script = fileURLToPath(import.meta.url);
  const children = ["1", "2", "3", "4"].map((name) =>
    spawn(process.execPath, ["--import", "tsx", script, folder, daemon, name], {
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

  const lock =
    "call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets " +
    "--method org.freedesktop.Secret.Service.Lock ['/org/freedesktop/secrets/collection/login']";
  execFileSync("gdbus", lock.split(" "));
  const inAuto = open("auto");
  await inAuto.write(recordOf("https://locked.example"));
  const locked = {
    read: await outcome(open("auto").read(recordOf("https://a.example", "1"))),
    write: await outcome(open("keychain").write(recordOf("https://locked.example"))),
    isPlain: isPlain(recordOf("https://locked.example")),
    protection: await inAuto.protection(),
  };

  // The keychain is there, but does not answer.
  process.kill(Number(daemon), "SIGSTOP");
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
  process.kill(Number(daemon), "SIGCONT");
  return { created, locked, stopped };
}

async function removeKey(): Promise<object> {
  await open("keychain").write(recordOf("https://gone.example"));
  await runKeyring({ ...ENTRY, action: "delete" }, KEYRING);
  return { read: await outcome(open("keychain").read(recordOf("https://gone.example"))) };
}

if (account === undefined) {
  // Before the keychain is locked.
  const gone = await removeKey();
  process.stdout.write(JSON.stringify({ gone, ...(await runAll()) }));
} else {
  await open("keychain").write(recordOf("https://a.example", account));
}
