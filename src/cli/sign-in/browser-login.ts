import { isLoopback } from "../../text/loopback.ts";
import { type LoginListener, openLoginListener } from "../../sign-in/login-listener.ts";
import { portsToTry } from "../../sign-in/login-ports.ts";
import type { PendingLogin, SignInControl } from "../../sign-in/types.ts";
import { workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { canOpenBrowser, openBrowser } from "./browser.ts";
import { takePastedLine } from "./pasted-lines.ts";
import type { RemoteServer } from "./remote-server.ts";

/** A login in a browser: the browser returns to this machine, or the user pastes where it ended. */
export async function loginInBrowser(
  context: Pick<Context, "args" | "env" | "out">,
  signIn: SignInControl,
  { oauth }: RemoteServer,
  signal: AbortSignal,
): Promise<void> {
  const port = readPort(context.args.text("port"));
  const listener = await listenerFor(oauth.redirectUri, port, signIn.redirectUri);
  const redirectUri = listener?.redirectUri ?? oauth.redirectUri ?? "";
  try {
    const login = await signIn.beginLogin(redirectUri);
    await showAddress(context, login, listener !== undefined);
    await whicheverReturns(context, login, listener, signal);
  } finally {
    listener?.close();
  }
}

const MAX_PORT = 65_535;

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port <= MAX_PORT) return port;
  const reason = `--port takes a port number, 1 to ${MAX_PORT}, not '${text}'`;
  throw workbenchError("USAGE", { reason });
}

/** The listener for the browser; undefined if the configured address is not on this machine. */
async function listenerFor(
  configured: string | undefined,
  port: number | undefined,
  registered: string | undefined,
): Promise<LoginListener | undefined> {
  if (configured !== undefined && port === undefined)
    return isHere(configured) ? openLoginListener({ redirectUri: configured }) : undefined;
  const ports = port === undefined ? portsToTry(registered) : [port];
  const listener = await openLoginListener({ ports });
  if (port === undefined || new URL(listener.redirectUri).port === String(port)) return listener;
  listener.close();
  const reason = "a different program uses it";
  throw workbenchError("CANNOT_LISTEN", { address: `127.0.0.1:${port}`, reason });
}

function isHere(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === "http:" && isLoopback(hostname);
}

async function showAddress(
  { args, env, out }: Pick<Context, "args" | "env" | "out">,
  { url }: PendingLogin,
  canReturn: boolean,
): Promise<void> {
  // Complete, even if a part of it, such as the client id, is the value of a secret: it has to be opened.
  out.documentText(JSON.stringify({ event: "open", url }));
  out.say("Open this address in a browser to sign in:\n");
  // Not wrapped, so that it can be copied.
  out.printRaw(`${url}\n`);
  const isWanted = !args.flag("no-browser") && !out.json;
  const isOpened =
    isWanted && canOpenBrowser(env, process.platform) && (await openBrowser(url, env));
  if (isOpened) out.say("\nThe browser should open now.");
  // A program that is started without a terminal rarely pastes; but there may be no other way.
  if (canReturn && process.stdin.isTTY !== true) return;
  const how = canReturn
    ? "If the browser runs on another machine, it ends at an address that it cannot open"
    : "At the end the browser shows an address that begins with the configured redirectUri";
  out.say(`\n${how}: paste that address here and press Enter.`);
}

function refuseWithoutInput(): never {
  throw workbenchError(
    "USAGE",
    {
      reason:
        "The browser returns to oauth.redirectUri, not to this program, and nothing can be pasted: standard input has ended",
    },
    "Run the command in a terminal, or pass it the address at which the browser ended",
  );
}

/** The listener and the user race; either of them finishes the login. */
async function whicheverReturns(
  { out }: Pick<Context, "out">,
  login: PendingLogin,
  listener: LoginListener | undefined,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const pasted = takePastedLine(process.stdin, (returned) => login.finish(returned), {
    onWrong: (reason) => out.warn(`${reason}. Paste it again, or press Ctrl-C to stop`),
    onEnd: listener === undefined ? refuseWithoutInput : undefined,
    signal: AbortSignal.any([signal, over.signal]),
  });
  // It is of interest only until the login is over.
  pasted.catch(() => {});
  try {
    await Promise.race([pasted, ...(listener === undefined ? [] : [listener.expect(login)])]);
  } finally {
    over.abort();
  }
}
