/**
 * The path of a client's call, from its request to its answer:
 *
 *   dispatch   finds the destination: a tool, a server, or the workbench itself
 *   runSteps   runs the configured steps; skipped if there are none (steps.ts)
 *   send       writes the request (request-text.ts) and passes it to the connection
 *              (pending-calls.ts); the server is connected first if necessary
 *   receive    takes the response; a server may ask for input first (input-rounds.ts)
 *   complete   takes what came back through the steps again (settle.ts)
 *   settle     gives the client its answer, exactly once (settle.ts)
 *
 * With no steps and a connected server, nothing on this path is awaited.
 */
import type { ServerResponse } from "../wire/response.ts";
import { type Call, type ClientCall, type Route, foundTools, isClientCall } from "./call.ts";
import { busy, neverSent, toolNotFound } from "./call-errors.ts";
import type { Destination, OnServer } from "./destination.ts";
import { type NeededInput, collectInput, inputRequired } from "./input-rounds.ts";
import type { MoreInput } from "./more-input.ts";
import { type Outcome, failure } from "./outcome.ts";
import { refusalOf, messageFor } from "./request-text.ts";
import { complete } from "./settle.ts";
import { neededSignIn } from "./sign-in-error.ts";
import { runSteps } from "./steps.ts";
import type { TargetSignIn } from "./target-sign-in.ts";

/** Finds the destination of a call. */
export type Router = (call: ClientCall) => Destination | Promise<Destination>;

export function dispatch(call: ClientCall, route: Router): void {
  call.caller.pipeline.observer?.onStarted(call);
  const { preparing } = call.caller.pipeline;
  if (preparing === undefined) start(call, route);
  else void later(call, preparing, () => start(call, route));
}

function start(call: ClientCall, route: Router): void {
  try {
    const destination = route(call);
    if (destination instanceof Promise) void later(call, destination, passOn);
    else passOn(call, destination);
  } catch (error) {
    complete(call, failure(error));
  }
}

function passOn(call: ClientCall, destination: Destination): void {
  // The client may have cancelled it while it was being routed.
  if (call.state === "settled") return;
  call.destination = destination;
  // What the steps check is what is sent.
  if (destination.server) {
    if (destination.request !== undefined) call.request = destination.request;
    call.subject = destination.tool?.name ?? destination.subject ?? "";
  }
  const { steps } = call.caller.pipeline;
  if (steps.length === 0) deliver(call, destination);
  else void runSteps(call, steps, () => deliver(call, destination));
}

function deliver(call: ClientCall, destination: Destination): void {
  if (destination.server !== undefined) {
    send(call, destination);
    return;
  }
  const outcome = destination.answer();
  if (outcome instanceof Promise) void later(call, outcome, conclude);
  else complete(call, outcome);
}

/** Ends a call that the workbench has answered, unless the user has to sign in first. */
function conclude(call: ClientCall, outcome: Outcome): void {
  const error = outcome.kind === "failure" ? outcome.error : undefined;
  if (neededSignIn(error)?.signIn === undefined) complete(call, outcome);
  else fail(call, error);
}

/** Continues when the value is there. A call ends with whatever is thrown. */
async function later<T>(
  call: ClientCall,
  value: Promise<T>,
  goOn: (call: ClientCall, value: T) => void,
): Promise<void> {
  try {
    goOn(call, await value);
  } catch (error) {
    complete(call, failure(error));
  }
}

/**
 * Sends a call to its server, with any input the server asked for. If the server is connected,
 * which is the normal case, nothing is awaited.
 */
function send(call: ClientCall, destination: OnServer, input?: MoreInput): void {
  if (input !== undefined) call.input = input;
  const route = call.caller.connectionTo(destination.server);
  if (route === undefined || !submit(call, destination, route, input))
    void connectAndSend(call, destination, input);
}

/** Passes a call to a connection; false if the server does not list the tool. */
function submit(
  call: ClientCall,
  destination: OnServer,
  route: Route,
  input: MoreInput | undefined,
): boolean {
  const tool = destination.tool && foundTools(route, destination).tools.get(destination.tool.name);
  if (destination.tool !== undefined && tool === undefined) return false;
  const refused = destination.check?.(call.request, route);
  if (refused !== undefined) {
    complete(call, { kind: "refusal", error: refused });
    return true;
  }
  const error = refusalOf(call, destination, tool, route) ?? route.calls.register(call);
  if (error === undefined)
    route.calls.submit(call, messageFor(call, destination, tool, route, input));
  else complete(call, { kind: "failure", error });
  return true;
}

/** Connects the server for a call. The time counts towards the limit of the call. */
async function connectAndSend(
  call: ClientCall,
  destination: OnServer,
  input: MoreInput | undefined,
): Promise<void> {
  const { server, tool } = destination;
  const { limits, timeouts } = server.settings;
  if (server.waitingForConnection >= limits.concurrency + limits.queue) {
    const reason = `${server.waitingForConnection} calls are waiting for it to connect`;
    complete(call, failure(busy(server.place, reason)));
    return;
  }
  let isLate = false;
  const latest = performance.now() + timeouts.totalMs;
  const timer = setTimeout(() => {
    isLate = true;
    complete(call, failure(neverSent(call, server.place, timeouts.totalMs)));
  }, timeouts.totalMs);
  server.waitingForConnection++;
  try {
    const route = await call.caller.connect(server);
    clearTimeout(timer);
    // A tool that is not listed may be in a list that is on its way.
    if (tool && !foundTools(route, destination).tools.has(tool.name))
      await server.whenListed(route);
    if (isLate || call.cancelled !== undefined) return;
    if (!submit(call, destination, route, input) && tool) throw toolNotFound(tool, route);
    // Connecting counts towards the time limit of the call.
    call.totalDeadline = Math.min(call.totalDeadline, latest);
  } catch (error) {
    if (!isLate) fail(call, error);
  } finally {
    clearTimeout(timer);
    server.waitingForConnection--;
  }
}

/**
 * Takes a server's response to a call. A modern server may ask for input before it continues; a
 * legacy client gets separate requests for it, and so does the client of a call inside another call.
 */
export function receive(call: Call, response: ServerResponse): void {
  if (isClientCall(call))
    call.caller.pipeline.exchanges?.onReturned(call, { kind: "response", response });
  if (isClientCall(call) && call.route?.hello.era === "modern" && !takesInputResults(call)) {
    const needed = inputRequired(response);
    if (needed !== undefined && "code" in needed) {
      complete(call, { kind: "refusal", error: needed });
      return;
    }
    if (needed !== undefined) {
      askForInput(call, needed).catch((error: unknown) => complete(call, failure(error)));
      return;
    }
  }
  const signIn = isClientCall(call) ? signInOf(call) : undefined;
  const challenge = signIn?.challengeIn(response);
  if (challenge !== undefined && isClientCall(call)) {
    void answerChallenge(call, challenge, response);
    return;
  }
  if (signIn !== undefined && isClientCall(call)) signIn.onResult(call.credential);
  complete(call, { kind: "response", response });
}

/** A modern client gets the result that asks for input, and sends its request again. */
function takesInputResults({ caller, parent }: ClientCall): boolean {
  return caller.era === "modern" && parent === undefined;
}

function signInOf({ destination }: ClientCall): TargetSignIn | undefined {
  return destination?.server?.signIn;
}

/** The server did not execute the call, so it can be sent again with what the server asks for. */
async function answerChallenge(
  call: ClientCall,
  challenge: string,
  response: ServerResponse,
): Promise<void> {
  const { credential, destination } = call;
  try {
    await signInOf(call)?.answerResult(challenge, credential);
  } catch (error) {
    fail(call, error);
    return;
  }
  if (call.state === "settled") return;
  if (destination?.server === undefined || call.wasChallenged)
    complete(call, { kind: "response", response });
  else {
    call.wasChallenged = true;
    send(call, destination, call.input);
  }
}

/**
 * Ends a call that could not be executed. If the user has to sign in to the server, that happens
 * first, and the call is sent again. It has no slot and no time limit while it waits.
 */
export function fail(call: Call, error: unknown): void {
  if (isClientCall(call)) call.caller.pipeline.exchanges?.onReturned(call, failure(error));
  const needed = isClientCall(call) ? neededSignIn(error) : undefined;
  if (needed === undefined || !isClientCall(call)) complete(call, failure(error));
  else void continueAfter(call, call.caller.pipeline.signIn?.(call, needed), error);
}

async function continueAfter(
  call: ClientCall,
  signIn: Promise<Outcome | undefined> | undefined,
  error: unknown,
): Promise<void> {
  try {
    const outcome = signIn === undefined ? failure(error) : await signIn;
    const { destination } = call;
    if (call.state === "settled") return;
    if (destination?.server !== undefined && outcome === undefined)
      send(call, destination, call.input);
    else if (destination?.server !== undefined) complete(call, outcome ?? failure(error));
    // What the workbench answers names all servers, not only the one that needs a sign-in.
    else if (destination === undefined || outcome !== undefined) complete(call, failure(error));
    else deliver(call, destination);
  } catch (problem) {
    complete(call, failure(problem));
  }
}

/** Asks the client for the input that the server needs, and sends the call again with it. */
async function askForInput(call: ClientCall, needed: NeededInput): Promise<void> {
  const { destination, route } = call;
  if (destination?.server === undefined || route === undefined) return;
  const collected = await collectInput(call, needed, route);
  if (call.state === "settled") return;
  if ("code" in collected) complete(call, { kind: "refusal", error: collected });
  else send(call, destination, collected);
}
