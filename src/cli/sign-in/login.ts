import { EXIT, isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { codeOf } from "../../text/error-code.ts";
import type { SignInControl } from "../../sign-in/types.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";
import { loginInBrowser } from "./browser-login.ts";
import { loginByDevice } from "./device-login.ts";
import { readTokens } from "./import-tokens.ts";
import { withinLoginTime } from "./login-time.ts";
import { probe } from "./probe.ts";
import { type RemoteServer, findRemoteServer } from "./remote-server.ts";
import { reportSignedIn } from "./report-signed-in.ts";
import { signInFailure } from "./sign-in-failure.ts";
import { serverOfUser } from "./user-option.ts";
import { type UsedSignIns, withSignIns } from "./with-sign-ins.ts";

/** `login TOOLBOX/SERVER` */
export async function login(context: Context): Promise<number> {
  const { args } = context;
  const [name = ""] = args.words;
  checkOptions(context);
  const settings = await loadSettings(context, args.text("config"));
  const found = findRemoteServer(name, settings);
  assertAvailable(found);
  const oauth = args.flag("device")
    ? { ...found.oauth, grant: "device_code" as const }
    : found.oauth;
  await withSignIns(context, settings, async (signIns) => {
    const server = await serverOfUser(context, { ...found, oauth }, settings, signIns.store);
    try {
      await signInTo(context, server, signIns);
    } catch (error) {
      context.signal.throwIfAborted();
      throw signInFailure(error, server);
    }
  });
  return EXIT.ok;
}

function checkOptions({ args }: Context): void {
  const refuse = (reason: string): never => {
    throw workbenchError("USAGE", { reason });
  };
  const source = args.text("import");
  if (source !== undefined && source !== "-")
    refuse("--import takes tokens from standard input only: --import -");
  if (source !== undefined && args.flag("device"))
    refuse("--import and --device cannot be combined");
}

/** Its secrets may not be read, so the references to them would be sent in their place. */
function assertAvailable({ place, settings }: RemoteServer): void {
  const reason = settings?.unavailable;
  if (reason !== undefined) throw workbenchError("SIGN_IN_FAILED", { ...place, reason });
}

async function signInTo(
  context: Context,
  server: RemoteServer,
  signIns: UsedSignIns,
): Promise<void> {
  // Before the user signs in for nothing.
  await signIns.store.prepare();
  const signIn = signIns.of(server);
  const problem = await signIn.load().then(() => undefined, whyUnreadable);
  if (problem !== undefined) context.out.warn(`${problem}. This login replaces it`);
  await withinLoginTime(context.signal, server.place, (signal) =>
    getTokens(context, server, signIn, signIns, signal),
  );
  // This program ends now, and a token that only it knows ends with it.
  signIn.assertStored();
  await reportSignedIn(context, server, signIn, signIns.store);
}

/** The text without its advice, which is to log in. */
function whyUnreadable(error: unknown): string {
  return isWorkbenchError(error) ? error.message : reasonOf(error);
}

async function getTokens(
  context: Context,
  server: RemoteServer,
  signIn: SignInControl,
  signIns: UsedSignIns,
  signal: AbortSignal,
): Promise<void> {
  if (context.args.text("import") !== undefined) return importTokens(context, server, signIn);
  const transport = await signIns.transportOf(server);
  await readChallenge(context, { ...server, transport }, signIn, signal);
  const { grant } = server.oauth;
  if (grant === "client_credentials") return signIn.loginAsClient();
  if (grant === "device_code") return loginByDevice(context, signIn, signal);
  return loginInBrowser(context, signIn, server, signal);
}

async function importTokens(
  { out }: Pick<Context, "out">,
  { oauth }: RemoteServer,
  signIn: SignInControl,
): Promise<void> {
  const tokens = await readTokens(process.stdin, Date.now());
  await signIn.importTokens(tokens);
  const { refreshToken, clientId = oauth.clientId } = tokens;
  if (refreshToken !== undefined && clientId === undefined)
    out.warn("The refresh token cannot be used without the client_id that it was issued to");
}

/** The server knows best where to sign in, and with which scope. */
async function readChallenge(
  { out }: Pick<Context, "out">,
  { transport, label, place }: RemoteServer,
  signIn: SignInControl,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { status, challenge } = await probe(transport, signal);
    if (challenge !== undefined) signIn.noteChallenge(challenge);
    else if (status < 300)
      out.say(`${label} answers without a token; perhaps only some of its tools need one.`);
  } catch (error) {
    signal.throwIfAborted();
    const reason = `its address does not answer (${causeOf(error)})`;
    throw workbenchError("CONNECTION_FAILED", { ...place, reason }, "Check its url", error);
  }
}

/** `fetch` hides the reason in the cause. */
function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return codeOf(cause) ?? reasonOf(error);
}
