import { createServer } from "node:net";

import type { WorkbenchSettings } from "../../config/types.ts";
import type { StoreCheck } from "../../credentials/types.ts";
import { reasonOf } from "../../errors.ts";
import { createGuardedFetch } from "../../oauth/guarded-fetch.ts";
import { LOGIN_PORTS } from "../../sign-in/login-ports.ts";
import type { AuthStatus } from "../../sign-in/types.ts";
import type { Context } from "../core/command.ts";
import { type RemoteServer, remoteServers } from "../sign-in/remote-server.ts";
import { withSignIns } from "../sign-in/with-sign-ins.ts";
import type { Check, Findings } from "./check.ts";

const area = "sign-in";
const MAX_SKEW_MS = 60_000;
type Finding = Omit<Check, "area" | "subject">;

/** Checks what is stored about sign-ins, and whether they can be renewed. Says nothing if there are none. */
export async function checkSignIns(
  context: Context,
  settings: WorkbenchSettings,
  findings: Findings,
): Promise<void> {
  const servers = remoteServers(settings);
  if (servers.length === 0) return;
  await withSignIns(context, settings, async (signIns) => {
    // Before anything else is read, because reading makes files private.
    const store = await signIns.store.check();
    const known = [];
    for (const server of servers) {
      const signIn = signIns.of(server);
      const subject = server.label;
      const problem = await signIn.load().then(() => undefined, reasonOf);
      const fix = signIn.status.login;
      if (problem !== undefined)
        findings.add({ area, subject, status: "error", message: problem, fix });
      else if (signIn.isInUse) {
        findings.add({ area, subject, ...stateOf(signIn.status) });
        known.push({ server, issuer: signIn.status.issuer });
      }
    }
    const { encrypted, plain } = store.records;
    if (encrypted + plain + store.problems.length === 0) return;
    for (const finding of storeFindings(store))
      findings.add({ area, subject: store.folder, ...finding });
    if (!context.args.flag("no-connect")) await checkIssuers(known, findings);
    await checkPorts(findings);
  });
}

/** How the records are protected, and what is wrong. What the next record will be protected with says nothing about those that are there. */
export function storeFindings({ protection, records, problems }: StoreCheck): readonly Finding[] {
  const { kind, reason } = protection;
  const { encrypted, plain } = records;
  const why = kind === "file" && reason !== undefined ? `; not encrypted: ${reason}` : "";
  const stored = [
    ...(encrypted > 0 ? [`${encrypted} encrypted with a key from the keychain`] : []),
    ...(plain > 0 ? [`${plain} in files that only you can read${why}`] : []),
  ];
  const bad = problems.map((message) => ({
    status: "warning" as const,
    message: message.replace(/\.$/, ""),
  }));
  // What cannot be read is stored as well.
  return stored.length === 0
    ? bad
    : [{ status: "ok", message: `stored: ${stored.join(", ")}` }, ...bad];
}

function stateOf({ state, expiresAt, refreshable, reason, login, account }: AuthStatus): Finding {
  const who = account === "default" ? "" : ` as ${account}`;
  if (state === "signed-in" && refreshable)
    return { status: "ok", message: `signed in${who}, refreshed automatically` };
  if (state !== "signed-in")
    return { status: "warning", message: reason ?? "not signed in", fix: login };
  const until = expiresAt === null ? "" : ` until ${expiresAt}`;
  return {
    status: "warning",
    message: `signed in${who}${until}; there is no refresh token, so you will have to sign in again`,
    fix: 'Some services issue one only if asked: set "scopes" with "offline_access", or "authorizationParams", in "oauth"',
  };
}

/** Whether the authorization servers answer, and whether their clocks agree with this machine's. */
async function checkIssuers(
  known: readonly { readonly server: RemoteServer; readonly issuer: string | null }[],
  findings: Findings,
): Promise<void> {
  const checked = new Set<string>();
  for (const { server, issuer } of known) {
    if (issuer === null || checked.has(issuer)) continue;
    checked.add(issuer);
    const finding = await checkIssuer(server.transport.url, issuer);
    findings.add({ area, subject: issuer, ...finding });
  }
}

async function checkIssuer(serverUrl: string, issuer: string): Promise<Finding> {
  try {
    const { headers } = await createGuardedFetch(serverUrl)(issuer);
    const skew = Date.now() - Date.parse(headers.get("date") ?? "");
    if (Math.abs(skew) <= MAX_SKEW_MS || Number.isNaN(skew))
      return { status: "ok", message: "the authorization server answers" };
    const seconds = Math.round(Math.abs(skew) / 1000);
    return {
      status: "warning",
      message: `the clock of this machine is ${seconds} seconds ${skew > 0 ? "ahead" : "behind"}, so tokens expire ${skew > 0 ? "early" : "unnoticed"}`,
      fix: "Set the clock, or let the system synchronize it",
    };
  } catch (error) {
    return {
      status: "warning",
      message: `the authorization server cannot be reached: ${reasonOf(error)}`,
      fix: "Sign-ins continue to work until their tokens expire; try again later",
    };
  }
}

/** Logins return to one of a few fixed ports, because authorization servers compare addresses exactly. */
async function checkPorts(findings: Findings): Promise<void> {
  const free = await Promise.all(LOGIN_PORTS.map(isFree));
  if (free.some(Boolean)) return;
  findings.add({
    area,
    subject: `ports ${LOGIN_PORTS.join(", ")}`,
    status: "warning",
    message: "other programs use all ports to which a browser returns from a login",
    fix: "End one of them, or name a free port: mcp-workbench login TOOLBOX/SERVER --port N",
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}
