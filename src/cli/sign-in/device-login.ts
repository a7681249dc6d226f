import { safeLine } from "../../text/safe-text.ts";
import type { SignInControl } from "../../sign-in/types.ts";
import type { Context } from "../core/command.ts";

/** A login that the user completes on any device with a browser. */
export async function loginByDevice(
  { out }: Pick<Context, "out">,
  signIn: SignInControl,
  signal: AbortSignal,
): Promise<void> {
  const { url, code, completeUrl, finish } = await signIn.beginDeviceLogin();
  // Complete, even if a part of it is the value of a secret: the user needs it.
  out.documentText(JSON.stringify({ event: "device", url, code }));
  out.say("On any device with a browser, open\n");
  out.printRaw(`${url}\n`);
  out.say(`\nand enter the code ${out.noteStyle.bold(safeLine(code))}`);
  if (completeUrl !== undefined) out.say(`\nThe same address with the code: ${completeUrl}`);
  await finish(signal);
}
