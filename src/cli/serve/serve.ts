import { findConfig, parseConfig } from "../../config/load.ts";
import { hasPolicy } from "../../config/has-policy.ts";
import { type ConfigOutline, type ToolboxOutline, outlineOf } from "../../config/outline.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { answerInitialize } from "../../serve/early-initialize.ts";
import { isProgramConnected } from "../../serve/first-line.ts";
import { exportsSignal } from "../../telemetry/otel-use.ts";
import { readArguments } from "../core/arguments.ts";
import { SERVE } from "../commands/serve.ts";
import { ignoreDebuggerSignal } from "./debugger-signal.ts";
import type { ServeHttpOptions } from "./serve-http.ts";

interface ServeOptions extends ServeHttpOptions {
  readonly shared: boolean;
  readonly http: string | undefined;
}

/** `mcp-workbench serve`: one MCP server, on standard input and output or over HTTP. */
export async function serve(args: readonly string[]): Promise<number> {
  const values = readServeOptions(args);
  if (values.toolbox !== undefined && values.server !== undefined)
    throw workbenchError(
      "USAGE",
      { reason: "--toolbox and --server cannot be combined" },
      "--server TOOLBOX/SERVER serves that server alone; --toolbox NAME serves a whole toolbox",
    );
  if (values.http !== undefined) {
    if (values.shared)
      throw workbenchError("USAGE", { reason: "--shared and --http cannot be combined" });
    const { serveOverHttp } = await import("./serve-http.ts");
    return serveOverHttp(values.http, values);
  }
  for (const option of ["no-auth", "token-env", "allow-host"] as const)
    if (values[option] !== undefined)
      throw workbenchError("USAGE", { reason: `--${option} requires --http` });
  ignoreDebuggerSignal();
  if (values.metrics !== undefined)
    (await import("../../serve/metrics-bundle.ts")).parseAddress(values.metrics, "--metrics");
  const config = await findConfig({ file: values.config });
  // An invalid file is rejected before the client gets an answer, unless checking it takes long.
  const checked = isCheckedFast(config.text) ? await parseConfig(config.text, config) : undefined;
  const outline = checked === undefined ? outlineOf(config.text) : outlineFrom(checked);
  const shown = outline && shownToolboxes(outline, values.toolbox);
  if (!isProgramConnected() && process.stdin.isTTY) process.stderr.write(FOR_CLIENTS);
  // What a policy hides is not known yet, and the answer names the toolboxes.
  const isKnown = outline?.hasPolicy === false && values.server === undefined;
  // What is answered before the workbench is loaded has no span.
  const isEarly = isKnown && !exportsSignal(process.env, "TRACES");
  const answered =
    shown && isEarly
      ? await answerInitialize({ ...outline, toolboxes: shown }, config.file)
      : undefined;
  if (answered === "ended") return EXIT.ok;
  const settings = async () => checked ?? parseConfig(config.text, config);
  if (values.shared && process.env["MCP_WORKBENCH_SHARED"] !== "0") {
    const { serveShared } = await import("./serve-shared.ts");
    return serveShared(config, settings, values, answered);
  }
  const { serveClient } = await import("./serve-stdio.ts");
  return serveClient(config, await settings(), values, answered);
}

/** For a person who types `serve`, which is otherwise silent until a client speaks. */
const FOR_CLIENTS = `Waiting for an MCP client on standard input. Clients
start this command themselves; in a terminal you probably
want one of these:
  mcp-workbench install            let a client start it
  mcp-workbench serve --http 7333  serve clients over HTTP
  mcp-workbench list               use the tools yourself
Press Ctrl-C to stop.
`;

/** Above this size, `initialize` is answered before the file is checked, because checking takes time. */
const MAX_CHECKED_FIRST_CHARS = 64 * 1024;

function isCheckedFast(text: string): boolean {
  return text.length <= MAX_CHECKED_FIRST_CHARS;
}

function outlineFrom(settings: WorkbenchSettings): ConfigOutline {
  const { toolMode, toolboxes } = settings;
  return { toolMode, hasPolicy: hasPolicy(settings), toolboxes: [...toolboxes.values()] };
}

/** The toolboxes to announce to the client; undefined if one of `names` does not exist. */
function shownToolboxes(
  { toolboxes }: ConfigOutline,
  names: readonly string[] | undefined,
): readonly ToolboxOutline[] | undefined {
  if (names === undefined) return toolboxes;
  const shown = names.map((name) => toolboxes.find((box) => box.name === name));
  const found = shown.filter((box) => box !== undefined);
  return found.length === names.length ? found : undefined;
}

/** The options that all other commands have are about output for people; serving has none. */
export function readServeOptions(args: readonly string[]): ServeOptions {
  const { flag, text, list } = readArguments(SERVE, args, []);
  const names = (option: string): readonly string[] | undefined =>
    list(option).length > 0 ? list(option) : undefined;
  return {
    config: text("config"),
    toolbox: names("toolbox"),
    server: text("server"),
    http: text("http"),
    shared: flag("shared"),
    "no-auth": flag("no-auth") || undefined,
    "token-env": text("token-env"),
    "allow-host": names("allow-host"),
    metrics: text("metrics"),
  };
}
