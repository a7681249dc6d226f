import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { reasonOf, workbenchError } from "../../errors.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Access } from "./access.ts";
import { refuse } from "./http-responses.ts";
import { pathOf } from "./routes.ts";

type Handle = (request: IncomingMessage, response: HttpResponse) => void;

/** The addresses for browsers of users who sign in to servers; the code behind them defines the same path. */
const LOGIN_PATH = "/login/";

/**
 * Handles browsers of users who sign in to servers, and gives everything else to the other handler. They have no
 * token; what they open is a secret of one user. Without a link that was ever made, there is nothing here.
 */
export function loginsBefore(
  workbench: Pick<Workbench, "host">,
  access: Pick<Access, "foreign">,
  others: Handle,
): Handle {
  return (request, response) => {
    const isLogin = pathOf(request.url ?? "").startsWith(LOGIN_PATH);
    if (!isLogin || request.headers.authorization !== undefined) return others(request, response);
    const foreign = access.foreign(request);
    if (foreign !== undefined) return refuse(response, foreign);
    answer(workbench, request, response).then(
      (isAnswered) => {
        if (!isAnswered) others(request, response);
      },
      (error: unknown) => {
        if (response.headersSent) response.destroy();
        else refuse(response, workbenchError("INTERNAL", { reason: reasonOf(error) }));
      },
    );
  };
}

async function answer(
  { host }: Pick<Workbench, "host">,
  request: IncomingMessage,
  response: HttpResponse,
): Promise<boolean> {
  if (host.cluster !== undefined) {
    const { forwardLogin } = await import("../cluster/forward-login.ts");
    if (await forwardLogin(host.cluster, request, response)) return true;
  }
  let isAnswered = false;
  await host.signIns.ifLoaded(async (signIns) => {
    isAnswered = await signIns.answerBrowser(request, response);
  });
  return isAnswered;
}
