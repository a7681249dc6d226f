/** The user's browser: keeps cookies, follows redirects, fills in the forms of the authorization server. */

export interface BrowserOptions {
  /** The name with which the user signs in. */
  readonly user?: string;
  /** The user refuses to grant access. */
  readonly denies?: boolean;
  /** Stops at the redirect to the client, as a browser does that cannot reach it. */
  readonly stopsAtCallback?: boolean;
}

export interface Page {
  readonly url: string;
  /** Undefined if the browser stopped before it. */
  readonly status: number | undefined;
  readonly text: string;
}

/** Signing in takes about eight pages. */
const MAX_PAGES = 30;
const PAGE_MS = 60_000;

export class Browser {
  readonly #user: string;
  readonly #denies: boolean;
  readonly #stopsAtCallback: boolean;
  readonly #cookies = new Map<string, string>();
  /** Every address that was opened, in order. */
  readonly visited: string[] = [];

  constructor({ user = "ada", denies = false, stopsAtCallback = false }: BrowserOptions = {}) {
    this.#user = user;
    this.#denies = denies;
    this.#stopsAtCallback = stopsAtCallback;
  }

  /** Opens an address and does what its pages ask for, until one has no form. */
  async open(address: string): Promise<Page> {
    let next: Step = { url: new URL(address), method: "GET", body: undefined };
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      if (this.#stopsAtCallback && isCallback(next.url))
        return { url: next.url.href, status: undefined, text: "" };
      const response = await this.#request(next);
      const location = response.headers.get("location");
      const text = await response.text();
      if (location !== null) {
        next = { url: new URL(location, next.url), method: "GET", body: undefined };
        continue;
      }
      const form = isCallback(next.url) ? undefined : this.#fillIn(text, next.url);
      if (form === undefined) return { url: next.url.href, status: response.status, text };
      next = form;
    }
    throw new Error(`the browser still moves after ${MAX_PAGES} pages: ${this.visited.join(" ")}`);
  }

  async #request({ url, method, body }: Step): Promise<Response> {
    if (!/^https?:$/.test(url.protocol)) throw new Error(`the browser does not open ${url.href}`);
    this.visited.push(url.href);
    const cookies = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(PAGE_MS),
      // A connection that is kept may be closed by the server while the next request is sent.
      headers: {
        accept: "text/html",
        connection: "close",
        ...(cookies !== "" && { cookie: cookies }),
      },
      ...(body && { body }),
    });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    return response;
  }

  #keep(cookie: string): void {
    const [pair = "", ...attributes] = cookie.split(";");
    const [name = "", ...value] = pair.split("=");
    const expires = attributes.find((part) => /^\s*expires=/i.test(part))?.split("=")[1];
    if (expires !== undefined && Date.parse(expires) < Date.now()) this.#cookies.delete(name);
    else this.#cookies.set(name, value.join("="));
  }

  #fillIn(page: string, url: URL): Step | undefined {
    const abort = /href="([^"]*\/abort)"/.exec(page)?.[1];
    const isConsent = page.includes('value="consent"');
    if (this.#denies && isConsent && abort !== undefined)
      return { url: new URL(unescape(abort), url), method: "GET", body: undefined };
    const [form] = /<form[\s\S]*?<\/form>/.exec(page) ?? [];
    if (form === undefined) return undefined;
    const action = attribute(form, "action") ?? url.href;
    const body = new URLSearchParams();
    for (const [input] of form.matchAll(/<input[\s\S]*?>/g)) {
      const name = attribute(input, "name");
      if (name === undefined) continue;
      const typed = name === "login" ? this.#user : name === "password" ? "any" : undefined;
      body.set(name, typed ?? attribute(input, "value") ?? "");
    }
    return { url: new URL(action, url), method: "POST", body };
  }
}

interface Step {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly body: URLSearchParams | undefined;
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(String.raw`\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : unescape(value);
}

function unescape(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&#x2F;", "/").replaceAll("&#39;", "'");
}

/** The address with which the authorization server returns to its client. */
function isCallback(url: URL): boolean {
  const { searchParams } = url;
  return searchParams.has("state") && (searchParams.has("code") || searchParams.has("error"));
}
