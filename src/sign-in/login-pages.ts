import type { ServerResponse } from "node:http";

/**
 * What a browser shows at the end of a login. These pages are fixed texts: nothing that an
 * authorization server or a link says can appear on them, and nothing on any page runs.
 */
const PAGES = {
  signedIn: [200, "Signed in", "You can close this window and go back to your work."],
  notSignedIn: [
    400,
    "Not signed in",
    "The sign-in was not completed. The program that asked for it knows the reason; you can close this window and try again there.",
  ],
  unavailable: [
    502,
    "Not signed in",
    "The sign-in service cannot be used at this time. Load this page again later, or run mcp-workbench login in a terminal to see the reason.",
  ],
  otherBrowser: [
    403,
    "Not signed in",
    "This sign-in was begun in another browser, or cookies are blocked. Open the link again, in the browser in which you want to sign in.",
  ],
  gone: [
    404,
    "Not found",
    "This link was used before, has expired, or belongs to a program that has ended. Ask for a new one.",
  ],
} as const;

export type LoginPage = keyof typeof PAGES;

const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  // The listener closes after the last answer.
  connection: "close",
};

export function sendPage(response: ServerResponse, page: LoginPage): void {
  const [status, title, text] = PAGES[page];
  sendHtml(response, status, { title, body: `<p>${text}</p>` });
}

export interface HtmlPage {
  readonly title: string;
  readonly body: string;
  /** In addition to those of all pages, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function sendHtml(
  response: ServerResponse,
  status: number,
  { title, body, headers = {} }: HtmlPage,
): void {
  const text = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>\n`;
  const all = { ...HEADERS, "content-type": "text/html; charset=utf-8", ...headers };
  response.writeHead(status, all).end(text);
}

/**
 * Without a body, and without a referrer: the address of the link must not leave this machine. After a form, 303
 * makes the browser request the address with GET.
 */
export function sendRedirect(response: ServerResponse, url: string, status: 302 | 303 = 302): void {
  response.writeHead(status, { ...HEADERS, location: url }).end();
}
