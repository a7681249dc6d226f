import { type ChangeRoutes, CSRF_HEADER, type ReadRoutes } from "../../contract.ts";
import { ApiProblem, isAborted, problemOf, unreachable } from "./api-problem.ts";

type Answer<R, P extends keyof R> = R[P] extends { answer: infer A } ? A : never;
export type ReadAnswer<P extends keyof ReadRoutes> = Answer<ReadRoutes, P>;
export type ChangeAnswer<P extends keyof ChangeRoutes> = Answer<ChangeRoutes, P>;

/** The requests of the page. */
export class Api {
  /** Kept in memory only; the cookie of the session is out of reach for scripts. */
  private csrf = "";

  /** Called when the workbench no longer accepts the session. */
  onSignedOut: () => void = () => undefined;

  setCsrf(csrf: string): void {
    this.csrf = csrf;
  }

  read<P extends keyof ReadRoutes>(
    path: P,
    query: ReadRoutes[P]["query"],
    signal?: AbortSignal,
  ): Promise<ReadAnswer<P>> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(given as [string, string][]).toString();
    return this.exchange(text === "" ? path : `${path}?${text}`, { signal: signal ?? null });
  }

  async change<P extends keyof ChangeRoutes>(
    path: P,
    body: ChangeRoutes[P]["body"],
    signal?: AbortSignal,
    /** The body as JSON, if it has numbers with more digits than JavaScript keeps. */
    text = JSON.stringify(body),
  ): Promise<ChangeAnswer<P>> {
    const send = (): Promise<ChangeAnswer<P>> =>
      this.exchange(path, {
        method: "POST",
        headers: { "content-type": "application/json", [CSRF_HEADER]: this.csrf },
        body: text,
        signal: signal ?? null,
      });
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ApiProblem && error.code === "csrf")) throw error;
      // Another page may have signed in again.
      this.csrf = (await this.read("/ui/api/session", {}, signal)).csrf;
      return send();
    }
  }

  private async exchange<T>(url: string, options: RequestInit): Promise<T> {
    try {
      const response = await fetch(url, { ...options, cache: "no-store", redirect: "error" });
      const body: unknown = await response.json().catch(() => undefined);
      if (response.ok) return body as T;
      throw problemOf(response.status, body);
    } catch (error) {
      if (isAborted(error)) throw error;
      const problem = error instanceof ApiProblem ? error : unreachable();
      if (problem.status === 401) this.onSignedOut();
      throw problem;
    }
  }
}
