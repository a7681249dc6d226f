import type { ServerResponse } from "node:http";

/**
 * What a browser shows at the end of a login. The pages are fixed texts: nothing that an
 * authorization server or a link says can appear on them, and nothing on them runs.
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
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>\n`;
  response.writeHead(status, { ...HEADERS, "content-type": "text/html; charset=utf-8" }).end(body);
}

/** Without a body, and without a referrer: the address of the link must not leave this machine. */
export function sendRedirect(response: ServerResponse, url: string): void {
  response.writeHead(302, { ...HEADERS, location: url }).end();
}
