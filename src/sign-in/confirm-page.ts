import type { ServerResponse } from "node:http";

import { escapeHtml } from "../text/escape-html.ts";
import type { LoginCookie } from "./login-cookie.ts";
import { sendHtml } from "./login-pages.ts";

/** What a person signs in to, and for whom. */
export interface LoginSubject {
  /** The server, as TOOLBOX/SERVER. */
  readonly server: string;
  /** Where it is: scheme, host and port. */
  readonly origin: string;
  /** The name of the user whose sign-in it will be. */
  readonly user: string;
}

/** Asks whether the person is the user. The names are texts of others, so they are only shown. */
export function sendConfirmation(
  response: ServerResponse,
  { server, origin, user }: LoginSubject,
  address: string,
  { value, header }: LoginCookie,
): void {
  const [place, service, name, workbench] = [server, origin, user, address].map(escapeHtml);
  const body = `<p>The workbench at ${workbench} asks you to sign in at <b>${service}</b>.</p>
<p>It will use your account there for its user <b>${name}</b>, who can then do everything on the server "${place}" that you can do.</p>
<p><b>Continue only if you are ${name} and have just asked for this.</b> If another person sent you this link, close this page.</p>
<form method="post"><input type="hidden" name="confirm" value="${value}"><button>I am ${name}: sign in</button></form>`;
  // The form is sent with its origin, which is checked; other sites do not learn the address of the link.
  const headers = { "set-cookie": header, "referrer-policy": "same-origin" };
  sendHtml(response, 200, { title: "Sign in", body, headers });
}
