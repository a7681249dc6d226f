import type { ErrorCode } from "../src/errors.ts";
import type { ServerProblemCode } from "../src/servers/server-problem.ts";

/** What `docs/errors.md` says about each error beyond its message. The program does not load this. */

export interface Meaning {
  readonly meaning: string;
  readonly fix: string;
}

const row = (meaning: string, fix: string): Meaning => ({ meaning, fix });

const RUN_DOCTOR =
  "Run `mcp-workbench doctor`; it shows the cause and the last output of the server.";
const CHECK_CLIENT = "Report it to the author of the client.";

export const ERROR_MEANINGS: Readonly<Record<ErrorCode, Meaning>> = {
  TOOLBOX_NOT_FOUND: row(
    "No toolbox has this name.",
    "Use one of the names in the hint, or add the toolbox to the configuration.",
  ),
  SERVER_NOT_FOUND: row(
    "The toolbox has no server with this name.",
    "Use one of the names in the hint; the server may be in another toolbox.",
  ),
  TOOL_NOT_FOUND: row(
    "The server has no tool with this name, or the configuration hides it.",
    "Use the closest name from the hint, or search for the tool. Check `toolFilters` and `overrides`.",
  ),
  TOOL_NOT_READ_ONLY: row(
    "`read_tool` calls only tools of class `read` ([classes](access.md#the-class-of-a-tool)). Nothing was sent to the server.",
    "Call the tool with `use_tool`. If it only reads, set its `class` in `overrides`, or trust the annotations of its server.",
  ),
  RESULT_NOT_FOUND: row(
    "An argument refers to a [stored result](large-results.md) that this client does not have, or no longer. Nothing was sent to the server.",
    "Call the tool that returned the result again.",
  ),
  UNKNOWN_TOOL: row(
    "A client called a tool that is not in its tool list.",
    "Call one of the listed tools; in dynamic mode, open the toolbox first.",
  ),
  CONNECTION_FAILED: row(
    "The server could not be started or connected. The reason follows; its name is the [cause](#causes).",
    RUN_DOCTOR,
  ),
  SERVER_STARTING: row(
    "`npx`, `uvx`, `docker run` or a similar program is downloading the server. The start continues in the background ([slow starts](reliability.md#slow-starts)).",
    "Try again in about 20 seconds; nothing was sent to the server.",
  ),
  TOOLBOX_UNREACHABLE: row(
    "A toolbox was opened, and none of its servers could be connected.",
    RUN_DOCTOR,
  ),
  INVALID_PARAMETERS: row(
    "The arguments of a meta-tool do not match its schema.",
    "Correct the arguments named in the message.",
  ),
  SERVER_DIED: row(
    "The connection was lost after the request had been sent.",
    "Check whether the call took effect before you repeat it.",
  ),
  CALL_NOT_DELIVERED: row(
    "The connection failed before the request was sent.",
    "Repeat the call; it is safe to do so.",
  ),
  SIGN_IN_REQUIRED: row(
    "The server requires an OAuth sign-in, or more permissions than the last one gave ([signing in](sign-in.md)). The request had no effect. Its cause is `signInRequired`.",
    "Open the link in the message on this computer, or run the command in it; then repeat the call.",
  ),
  SERVER_BUSY: row(
    "The server is working on `limits.concurrency` calls and `limits.queue` more are waiting, or it does not read its input.",
    "Repeat the call later, or raise the limits of this server.",
  ),
  CALL_TIMEOUT: row(
    "The server did not answer within `timeouts.callMs` or `timeouts.totalMs`. It was asked to cancel the call.",
    "Check whether the call took effect. To wait longer, raise the limit named in the hint.",
  ),
  MESSAGE_TOO_LARGE: row(
    "The server sent a message above `limits.messageBytes`, or one that takes too long to parse.",
    "Request less data, or raise `limits.messageBytes` of this server.",
  ),
  MESSAGE_REJECTED: row(
    "The server sent an answer that cannot be passed on. The call may have taken effect.",
    "Report it to the author of the server.",
  ),
  POLICY_DENIED: row(
    "A rule of the configuration denies the call with these arguments ([access](access.md)). Nothing was sent to the server.",
    "The message names the reason or the rule. Change the `policy` if the call should be allowed.",
  ),
  NOT_APPROVED: row(
    'With `"pins": "enforce"`, the definition differs from what is in workbench-lock.json ([reviewing changes](reviewing-changes.md)), or this file is missing or damaged. Nothing was sent to the server.',
    "Run `mcp-workbench diff` to see what has changed, and `mcp-workbench trust TOOLBOX/SERVER` to accept it.",
  ),
  APPROVAL_REQUIRED: row(
    "A rule of the configuration asks the user about the call ([access](access.md)). Nothing was sent to the server.",
    "Answer the question with `mcp-workbench approve ID`, and repeat the same call. Change the `policy` if it should be allowed without a question.",
  ),
  SCRIPTS_BUSY: row(
    "Two scripts of a user or access token run at a time, and 16 more of a client may wait, for at most `scripts.totalMs`. No part of this script was executed.",
    "Try again when other scripts have ended.",
  ),
  APPROVALS_UNUSABLE: row(
    "The file with the questions to the user and their answers is damaged or locked, or other users could have changed it. Calls that need an approval fail.",
    "Follow the hint. If the file is damaged, move it away; you are then asked again about tools that you always allowed.",
  ),
  CONFIG_NOT_FOUND: row(
    "There is no configuration file in any of the places that were searched.",
    "Run `mcp-workbench init`, or name a file with `--config`.",
  ),
  CONFIG_INVALID: row(
    "The configuration file has mistakes. All of them are listed, with line and column.",
    "Correct them; each line says how.",
  ),
  CONFIG_NOT_TRUSTED: row(
    "The configuration was found in the current folder, and you have not trusted this version of it.",
    "Read what it would do. If you agree, run the `mcp-workbench trust` command from the hint.",
  ),
  REPLICA_LOST: row(
    "The replica of the workbench that handled the call ended before it answered.",
    "Check whether the call took effect before you repeat it. The session continues on another replica.",
  ),
  REPLICAS_UNREACHABLE: row(
    "This replica cannot find out which one owns the session, because it reaches neither Redis nor the others.",
    "Try again; if it persists, check the network between the replicas and Redis.",
  ),
  CLUSTER_UNUSABLE: row(
    "The setting `cluster` cannot be used, for example because a variable in it is not set.",
    "Correct what the message names.",
  ),
  FOLDER_UNUSABLE: row(
    "A folder for data of the workbench cannot be created, or belongs to another user.",
    "Correct its owner and permissions, or set the `XDG_…` variable to another folder.",
  ),
  FILE_INVALID: row(
    "A configuration file of a client cannot be read or parsed.",
    "Correct the file at the position in the message.",
  ),
  FILE_NOT_WRITABLE: row(
    "A file cannot be written: it is read-only, or belongs to another user, or the disk is full.",
    "Make the file writable and run the command again.",
  ),
  FILE_CHANGED: row(
    "Another program changed the file while the command was running.",
    "Run the command again.",
  ),
  FILE_NOT_EDITABLE: row(
    "A file of a client has a form that cannot be edited without changing other parts of it.",
    "Edit it by hand; the hint shows what to insert.",
  ),
  SECRETS_UNAVAILABLE: row(
    "The keychain of the operating system cannot be used: its library is missing, it is locked, or it refused.",
    "Install what the message names and unlock the keychain, or use `secrets.env`.",
  ),
  CREDENTIAL_UNUSABLE: row(
    "The file with a sign-in cannot be used: it is damaged, its permissions are wrong, or the key that decrypts it is not available. It was kept.",
    "Unlock the keychain or correct the file as the message says; otherwise sign in again with `login`.",
  ),
  CREDENTIAL_BUSY: row(
    "Another process kept a sign-in locked for too long, or took the lock over because this process did not respond. Nothing was sent.",
    "Try again. If the error persists, end the process named in the message.",
  ),
  CLIENT_UNKNOWN: row(
    "No supported client has this name.",
    "Use a name from `mcp-workbench install --help`.",
  ),
  CLIENT_NOT_INSTALLED: row(
    "There are no traces of this client on this machine.",
    "Install and start the client once, then run the command again.",
  ),
  CONFIG_EXISTS: row(
    "A new configuration would overwrite an existing one.",
    "Extend it with `mcp-workbench import`, or with `init --force`, which keeps its servers.",
  ),
  REGISTRY_UNUSABLE: row(
    "The registry cannot be reached, or its answer is not one of a registry.",
    "Check the address (`--registry`, or `registry.url` in the configuration) and its token, or try again later.",
  ),
  NOT_IN_REGISTRY: row(
    "The registry has no server with this name, or not this version of it.",
    "Look for its name with `mcp-workbench registry WORDS`.",
  ),
  BUNDLE_INVALID: row(
    "The file is not an MCP bundle, or contains something that is [not allowed](adding-servers.md#what-is-refused). Nothing was installed.",
    "Get the bundle from its publisher again, or report the problem to the publisher.",
  ),
  CANNOT_ADD: row(
    "The server cannot be run here as its publisher describes it. Nothing was changed.",
    "The reason says what is missing. If you know how to run the server, add it with `add NAME -- COMMAND`.",
  ),
  SERVER_EXISTS: row(
    "The toolbox already has a server with this name.",
    "Choose another name, or remove the existing server first.",
  ),
  SERVER_REFUSED: row(
    "The server answered the call with a JSON-RPC error.",
    "Read its message; check the arguments of the call.",
  ),
  SIGN_IN_FAILED: row(
    "`login` did not get a token: the user or the authorization server refused, or one of them cannot do what is needed.",
    "Follow the hint; [signing in](sign-in.md) explains the settings.",
  ),
  INTERRUPTED: row("The command was stopped by Ctrl-C or a signal.", "Nothing to do."),
  WORKBENCH_CLOSED: row(
    "The workbench is shutting down and does not accept requests.",
    "Start it again.",
  ),
  RATE_LIMITED: row(
    "The client has exceeded a limit in `limits.rate`. The call was not executed.",
    "Wait as long as the message says, or raise the limit.",
  ),
  AUDIT_UNAVAILABLE: row(
    "The configuration requires the audit log (`audit.required`), and an entry could not be written.",
    "Free disk space or fix the permissions of the folder; see [auditing](auditing.md).",
  ),
  CUT_OFF: row(
    "The workbench stopped before the server answered.",
    "Check whether the call took effect before you repeat it.",
  ),
  ANSWER_DROPPED: row(
    "The client does not read its answers, so this one was dropped to bound memory.",
    "Read the answers of the workbench as they come; check whether the call took effect.",
  ),
  ANSWER_LOST: row(
    "The client continued a response whose connection it had lost. Only small answers are kept for that.",
    "Check whether the call took effect before you repeat it.",
  ),
  BAD_REQUEST: row("The HTTP request is not a valid MCP request.", CHECK_CLIENT),
  PARSE_ERROR: row("The message is not valid JSON, or exceeds a limit.", CHECK_CLIENT),
  HEADER_MISMATCH: row(
    "An HTTP header of the request does not match its body.",
    `${CHECK_CLIENT} A proxy that changes headers can also cause it.`,
  ),
  UNSUPPORTED_VERSION: row(
    "The client requested a protocol version that the workbench does not support.",
    "Update the client or the workbench.",
  ),
  UNAUTHORIZED: row(
    "The request has no bearer token, or a wrong one.",
    "Send an access token, or your own: `serve --http` names its file when it starts.",
  ),
  IDENTITY_UNAVAILABLE: row(
    "The keys of the identity provider in `http.oauth` cannot be read; tokens of users are not accepted until they can.",
    "The log says why. Check `issuer` and `jwksUri`, and whether the workbench reaches that address.",
  ),
  INSUFFICIENT_SCOPE: row(
    "The user signed in, but the token has no scope for this address.",
    "The client can ask for the scope in the `WWW-Authenticate` header; the identity provider decides who gets it.",
  ),
  FORBIDDEN: row(
    "The `Host` or `Origin` header is not allowed. This protects against requests from web sites.",
    "Use the address that `serve --http` printed, or add the name with `--allow-host`.",
  ),
  NOTHING_HERE: row(
    "The URL has no MCP endpoint.",
    "Use `/mcp`, `/mcp/TOOLBOX` or `/mcp/TOOLBOX/SERVER`, with names from the configuration.",
  ),
  SESSION_NOT_FOUND: row(
    "The session in `Mcp-Session-Id` has ended, or was opened at another endpoint.",
    "Clients start a new session with `initialize`; reconnect if yours does not.",
  ),
  METHOD_NOT_ALLOWED: row("The endpoint does not support this HTTP method.", CHECK_CLIENT),
  NOT_ACCEPTABLE: row(
    "The `Accept` header excludes the content types of the answer.",
    CHECK_CLIENT,
  ),
  STREAM_TAKEN: row(
    "The client opened a second event stream in a session that has one.",
    CHECK_CLIENT,
  ),
  BODY_TOO_LARGE: row(
    "The body of a request exceeds `http.bodyBytes`.",
    "Send less, or raise the limit.",
  ),
  TOO_MANY_BODIES: row(
    "The bodies of the current requests together exceed the memory reserved for them.",
    "Repeat the request later.",
  ),
  UNSUPPORTED_MEDIA_TYPE: row(
    "The body of the request is not uncompressed JSON in UTF-8.",
    CHECK_CLIENT,
  ),
  TOO_MANY_SUBSCRIPTIONS: row(
    "A client subscribed to more resources than one session may.",
    "Unsubscribe from resources that are no longer of interest.",
  ),
  TOO_MANY_SESSIONS: row(
    "`http.sessions` sessions are open.",
    "Close clients that are no longer used, or raise the limit.",
  ),
  CANNOT_LISTEN: row(
    "The HTTP address cannot be used, for example because another program uses the port.",
    "Choose another port, or stop the other program.",
  ),
  TOKEN_UNUSABLE: row(
    "The token file for HTTP cannot be read or written, or other users can access it.",
    "Follow the hint, or pass the token in a variable with `--token-env`.",
  ),
  TOKENS_UNUSABLE: row(
    "The file with the access tokens is damaged, or other users could have changed it. No access token is accepted until this is fixed; your own token still works.",
    "Restore the file, or move it away and create the tokens again. Files that others can change: `chmod 600`.",
  ),
  CERTIFICATE_UNUSABLE: row(
    "A file in `http.tls` cannot be read, or the certificate and the key do not belong together.",
    "Correct the paths or the files. A running workbench keeps the certificate it has.",
  ),
  TOKENS_BUSY: row(
    "Another process kept the file with the access tokens locked for too long. Nothing was changed.",
    "Try again. If the error persists, end the process named in the message.",
  ),
  INTERNAL: row(
    "There is a bug in the workbench.",
    "Report it with the message and the steps that led to it.",
  ),
  USAGE: row("The command line is wrong.", "Read the message, and `--help` of the command."),
};

/** Advice for failures of remote servers that have no hint of their own in the program. */
export const REMOTE_ADVICE: Readonly<Record<string, string>> = {
  reset: "Check the logs of the server, and any proxy in between",
  truncated: "Check the logs of the server, and any proxy in between",
  noAnswer: "Check the logs of the server, and any proxy in between",
  badEncoding: "Disable compression on the server, or in a proxy in between",
  unavailable: "Repeat the call later",
  lostSession: "Check the logs of the server; behind a load balancer, it may need sticky sessions",
  noNewSession: "Check the logs of the server; behind a load balancer, it may need sticky sessions",
  endpointElsewhere:
    "Correct the server or the proxy in front of it; both must use the same origin",
  streamEnded: "Check the logs of the server, and the time limits of any proxy in between",
};

export interface ProblemMeaning extends Meaning {
  /** The message, with `{…}` for its variable parts. */
  readonly message: string;
}

const problem = (message: string, meaning: string, fix: string): ProblemMeaning => ({
  message,
  meaning,
  fix,
});

export const PROBLEM_MEANINGS: Readonly<Record<ServerProblemCode | "rpcError", ProblemMeaning>> = {
  exited: problem(
    "it exited with code {code}",
    "The process of the server ended.",
    "Read its last output; start the command by hand. Variables it needs belong in `env` or `inheritEnv`.",
  ),
  killed: problem(
    "it was ended by {signal}",
    "The process of the server was killed, by a user or because memory ran out.",
    "Check the memory limits of the machine or container.",
  ),
  closedPipe: problem(
    "it closed its standard output",
    "The process closed its standard input or output but kept running. It was stopped.",
    "Check that the command starts an MCP server over stdio.",
  ),
  connectTimeout: problem(
    "connection timeout: no answer {time}",
    "The process was started but did not answer `initialize` within `timeouts.connectMs`.",
    "Check that the command starts an MCP server over stdio; if it is only slow, raise `timeouts.connectMs`.",
  ),
  downloadTimeout: problem(
    "{launcher} did not start it within {seconds} s; its download may be stuck",
    "`npx`, `uvx`, `docker run` or a similar program was still downloading the server after ten minutes (commands on macOS and Windows: three).",
    "Run the command by hand to see what it is waiting for; check the network and the registry.",
  ),
  answerTimeout: problem(
    "connection timeout: {host} did not answer {time}",
    "The remote server accepted the connection but did not answer within `timeouts.connectMs`.",
    "Check that the URL is an MCP endpoint; if it is only slow, raise `timeouts.connectMs`.",
  ),
  unsupportedVersion: problem(
    "it speaks protocol version {version}, which is not supported",
    "The server and the workbench have no protocol version in common.",
    "Update the server; check `protocol` in the configuration.",
  ),
  badAnswer: problem(
    "its answer is not JSON: {reason}",
    "The server sent an answer that does not follow the protocol.",
    "Report it to the author of the server.",
  ),
  secretUnavailable: problem(
    "{secret}: {reason}",
    "A secret that the server needs could not be read when it was started: from the keychain, a file or a command.",
    "Do what the message says; see [secrets](secrets.md).",
  ),
  rpcError: problem(
    "{message} (code {code})",
    "The server answered the handshake or a list request with a JSON-RPC error.",
    "Read its message and its last output.",
  ),
};
