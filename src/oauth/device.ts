import { setTimeout as wait } from "node:timers/promises";

import { deviceAuthorizationRequest } from "oauth4webapi";

import type { TokenSet } from "../credentials/record.ts";
import { truncate } from "../text/truncate.ts";
import { visible } from "../text/visible.ts";
import { allowedUrl } from "./allowed-url.ts";
import { assertDeviceFlow } from "./device-flow.ts";
import { errorFailure } from "./error-response.ts";
import { isOAuthFailure, OAuthFailure } from "./failure.ts";
import {
  answerOf,
  clientAuth,
  type ClientContext,
  clientOf,
  requestOptions,
  requestTokens,
  secretsOf,
} from "./token-request.ts";
import { expiryOf } from "./token-response.ts";
import type { GrantRequest, ProtocolOptions, Sleep, StartedDevice } from "./types.ts";

const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
const INTERVAL_S = 5;
const MAX_INTERVAL_S = 300;
const LIFETIME_S = 600;
const MAX_CODE_CHARS = 64;

/** Starts a login that the user finishes on any device (RFC 8628). */
export async function startDevice(
  { discovery, client, scope, settings }: GrantRequest,
  options: ProtocolOptions = {},
): Promise<StartedDevice> {
  const { server, serverUrl, resource } = discovery;
  const { now = Date.now } = options;
  assertDeviceFlow(server);
  const context = { serverUrl, server, client, privateKey: settings.privateKey, options };
  const parameters = new URLSearchParams({
    ...(scope !== undefined && { scope }),
    ...(resource !== undefined && { resource }),
  });
  const response = await deviceAuthorizationRequest(
    server,
    clientOf(client),
    await clientAuth(context),
    parameters,
    requestOptions(context),
  );
  const document = await answerOf(response, server.issuer, now());
  if (!response.ok || document["error"] !== undefined)
    throw errorFailure(document, server.issuer, secretsOf(client));
  const { device_code, user_code, verification_uri, verification_uri_complete, interval } =
    document;
  if (typeof device_code !== "string" || typeof user_code !== "string")
    throw new OAuthFailure("unsupported", `The authorization server ${server.issuer} sent no code`);
  const url = allowedUrl(verification_uri, "verification address", serverUrl).href;
  const completeUrl =
    verification_uri_complete === undefined
      ? undefined
      : allowedUrl(verification_uri_complete, "verification address", serverUrl).href;
  const expiresAt = expiryOf(document["expires_in"], now()) ?? now() + LIFETIME_S * 1000;
  const poll = (signal?: AbortSignal): Promise<TokenSet> =>
    pollTokens({
      context: { ...context, options: { ...options, signal: eitherOf(signal, options.signal) } },
      parameters: { device_code, resource },
      scope,
      expiresAt,
      intervalS: intervalOf(interval),
    });
  return {
    url,
    code: visible(truncate(user_code, MAX_CODE_CHARS)),
    expiresAt,
    poll,
    ...(completeUrl !== undefined && { completeUrl }),
  };
}

interface Polling {
  readonly context: ClientContext;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly scope: string | undefined;
  readonly expiresAt: number;
  readonly intervalS: number;
}

async function pollTokens(polling: Polling): Promise<TokenSet> {
  const { context, parameters, scope, expiresAt } = polling;
  const { signal, now = Date.now, sleep = sleepFor } = context.options;
  let { intervalS } = polling;
  for (;;) {
    signal?.throwIfAborted();
    if (now() + intervalS * 1000 > expiresAt)
      throw new OAuthFailure("denied", "The code was not entered in time", {
        hint: "Log in again",
      });
    await sleep(intervalS * 1000, signal);
    try {
      return await requestTokens(context, {
        grantType: DEVICE_CODE,
        parameters,
        previous: { scope },
      });
    } catch (error) {
      if (!isOAuthFailure(error)) throw error;
      const isSlower = error.error === "slow_down" || error.kind === "network";
      if (!isSlower && error.error !== "authorization_pending") throw error;
      if (isSlower) intervalS += INTERVAL_S;
    }
  }
}

function intervalOf(seconds: unknown): number {
  if (typeof seconds !== "number" || !(seconds > 0)) return INTERVAL_S;
  return Math.min(Math.max(seconds, 1), MAX_INTERVAL_S);
}

function eitherOf(
  one: AbortSignal | undefined,
  other: AbortSignal | undefined,
): AbortSignal | undefined {
  return one !== undefined && other !== undefined ? AbortSignal.any([one, other]) : (one ?? other);
}

const sleepFor: Sleep = async (ms, signal) => {
  try {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
};
