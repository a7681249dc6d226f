import { afterEach, describe, expect, it, vi } from "vitest";
import { CSRF_HEADER } from "../../contract.ts";
import { Api } from "./api.ts";
import { type ApiProblem, isAborted } from "./api-problem.ts";

/** Answers requests one after another; an error is a failed connection. */
function answers(...all: (readonly [status: number, body: unknown] | Error)[]) {
  const fetched = vi.fn<(url: string, options: RequestInit) => Promise<Response>>(async () => {
    const next = all.shift();
    if (next === undefined) throw new Error("there is no further answer");
    if (next instanceof Error) throw next;
    const [status, body] = next;
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
  });
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

const problemOf = (request: Promise<unknown>): Promise<ApiProblem> =>
  request.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: unknown) => error as ApiProblem,
  );

const failure = (code: string) => ({ error: { code, message: `The message of ${code}` } });

describe("a request of the page", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("has the parameters that are set, and follows no redirect", async () => {
    const fetched = answers([200, { items: [] }]);
    const query = { q: "a b&c", toolbox: "", server: "fx" };
    expect(await new Api().read("/ui/api/tools", query)).toEqual({ items: [] });
    expect(fetched.mock.calls[0]?.[0]).toBe("/ui/api/tools?q=a+b%26c&server=fx");
    expect(fetched.mock.calls[0]?.[1]).toMatchObject({ redirect: "error", cache: "no-store" });
  });

  it("proves that it comes from the page if it changes something", async () => {
    const fetched = answers([200, {}], [200, {}]);
    const api = new Api();
    api.setCsrf("own");
    await api.change("/ui/api/tokens/revoke", { name: "ci" });
    expect(fetched.mock.calls[0]?.[1]).toMatchObject({
      method: "POST",
      headers: { "content-type": "application/json", [CSRF_HEADER]: "own" },
      body: '{"name":"ci"}',
    });
    await api.change("/ui/api/tokens/revoke", { name: "ci" }, undefined, '{"name": "ci"}');
    expect(fetched.mock.calls[1]?.[1].body).toBe('{"name": "ci"}');
  });

  it("is repeated once if another page has signed in again", async () => {
    const fetched = answers([403, failure("csrf")], [200, { csrf: "new" }], [200, { done: true }]);
    expect(await new Api().change("/ui/logout", {})).toEqual({ done: true });
    expect(fetched.mock.calls.map(([url]) => url)).toEqual([
      "/ui/logout",
      "/ui/api/session",
      "/ui/logout",
    ]);
    expect(fetched.mock.calls[2]?.[1].headers).toMatchObject({ [CSRF_HEADER]: "new" });
    answers([403, failure("csrf")], [200, { csrf: "new" }], [403, failure("csrf")]);
    expect(await problemOf(new Api().change("/ui/logout", {}))).toMatchObject({ code: "csrf" });
  });

  it.each([
    [[409, failure("conflict")], { status: 409, message: "The message of conflict", hint: "" }],
    [[500, "<html>"], { status: 500, message: "The workbench answered with status 500." }],
    [[502, { error: 1 }], { status: 502, code: "" }],
    [new TypeError("Failed to fetch"), { status: 0, message: "The workbench does not answer." }],
  ] as const)("that fails with %j says why", async (answer, problem) => {
    answers(answer as never);
    expect(await problemOf(new Api().read("/ui/api/overview", {}))).toMatchObject(problem);
  });

  it("ends the session of the page if the workbench does not know it", async () => {
    const api = new Api();
    api.onSignedOut = vi.fn();
    answers([403, failure("forbidden")], [401, failure("unauthorized")]);
    await problemOf(api.read("/ui/api/overview", {}));
    expect(api.onSignedOut).not.toHaveBeenCalled();
    expect(await problemOf(api.read("/ui/api/overview", {}))).toMatchObject({ status: 401 });
    expect(api.onSignedOut).toHaveBeenCalledOnce();
  });

  it("that is given up is not a problem", async () => {
    answers(new DOMException("aborted", "AbortError"));
    expect(isAborted(await problemOf(new Api().read("/ui/api/overview", {})))).toBe(true);
  });
});
