import { type FoundConfig, readConfigText } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { EXIT } from "../../errors.ts";
import { ClientState } from "../../serve/shared/client-state.ts";
import { connectTo } from "../../serve/shared/connect.ts";
import type { SessionHello } from "../../serve/shared/hello.ts";
import { launchOf } from "../../serve/shared/launch.ts";
import { hashOf } from "../../serve/shared/proof.ts";
import { placeOf, readRecord, rendezvousOf } from "../../serve/shared/rendezvous.ts";
import { Shim } from "../../serve/shared/shim.ts";
import { safeText } from "../../text/safe-text.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { type ContinuedStreams, continuing } from "./continued-streams.ts";
import { connectOrStart } from "./start-shared.ts";

const END_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
/** A shared process that hangs does not keep a client that has left. */
const MAX_END_MS = 10_000;

interface ShownView {
  readonly toolbox?: readonly string[] | undefined;
  readonly server?: string | undefined;
  readonly metrics?: string | undefined;
}

/**
 * Serves the client on standard input and output through the process that all clients of this
 * configuration share. If that is not possible for any reason, this process serves it.
 */
export async function serveShared(
  config: FoundConfig,
  settings: () => Promise<WorkbenchSettings>,
  shown: ShownView,
  answered: IncomingRequest | undefined,
): Promise<never> {
  const client = crypto.randomUUID();
  const { toolbox, server } = shown;
  const helloIn = (epoch: number): SessionHello => {
    // It may have changed since the last time.
    const text = epoch === 0 ? config.text : currentText(config);
    return {
      op: "session",
      client,
      epoch,
      principal: "stdio",
      toolbox,
      server,
      launch: launchOf(text),
      answered: answered?.text,
      config: hashOf(text),
      fromCurrentFolder: config.fromCurrentFolder,
    };
  };
  return new Promise<never>((_, reject) => {
    const shim = new Shim({
      input: process.stdin,
      output: process.stdout,
      state: new ClientState(answered?.text, mentionsDynamic(config.text)),
      connect: async (epoch, successor) => {
        if (successor !== undefined) {
          const record = readRecord(placeOf(successor));
          const moved = record && (await connectTo(record, helloIn(epoch)).catch(() => undefined));
          if (moved !== undefined) return moved;
        }
        return connectOrStart(rendezvousOf(config.file), config, helloIn(epoch), shown.metrics);
      },
      serveAlone: (reason, sent, repeated) => {
        release();
        process.stderr.write(`mcp-workbench: not shared: ${safeText(reason)}\n`);
        const streams: Partial<ContinuedStreams> =
          repeated === undefined ? {} : continuing(sent, repeated);
        if (repeated === undefined && sent.length > 0) process.stdin.unshift(sent);
        const serve = async (): Promise<never> => {
          const { serveClient } = await import("./serve-stdio.ts");
          return serveClient(config, await settings(), shown, answered, streams);
        };
        serve().catch(reject);
        return streams.gate;
      },
      onEnd: () => process.exit(EXIT.ok),
    });
    let timer: NodeJS.Timeout | undefined;
    const endSoon = (): void => {
      timer = setTimeout(() => process.exit(EXIT.ok), MAX_END_MS).unref();
    };
    const forget = onEndSignal(() => {
      endSoon();
      shim.end();
    });
    const release = (): void => {
      forget();
      clearTimeout(timer);
      process.stdin.off("end", endSoon);
    };
    process.stdin.once("end", endSoon);
    shim.start();
  });
}

function currentText({ file, text }: FoundConfig): string {
  try {
    return readConfigText(file);
  } catch {
    return text;
  }
}

/** Only in this mode do opened toolboxes belong to a session. */
function mentionsDynamic(configText: string): boolean {
  return configText.includes("dynamic") || configText.includes("\\");
}

/** The first signal lets calls in progress end; a second one exits at once. */
function onEndSignal(end: () => void): () => void {
  let asked = false;
  const onSignal = (): void => {
    if (asked) process.exit(EXIT.ok);
    asked = true;
    end();
  };
  for (const signal of END_SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of END_SIGNALS) process.off(signal, onSignal);
  };
}
