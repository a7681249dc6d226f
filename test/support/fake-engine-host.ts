import type {
  EmitProblem,
  EngineHost,
  EngineLimits,
  GuestRequest,
  ModuleUse,
  ScriptEnd,
} from "../../src/scripts/engine/engine.ts";
import { ScriptSyntaxError } from "../../src/scripts/engine/engine.ts";
import { QuickJsEngine } from "../../src/scripts/engine/quickjs-engine.ts";
import { startScript } from "../../src/scripts/engine/start-script.ts";
import { readEngine } from "../../src/scripts/engine/wasm-module.ts";

export const LIMITS: EngineLimits = { memoryMb: 16, cpuMs: 60_000, calls: 5, parallel: 2 };

/** Keeps what a script does; `m1` is its only media block that is not too large. */
export class FakeEngineHost implements EngineHost {
  readonly requests: GuestRequest[] = [];
  readonly log: string[] = [];
  readonly emitted: string[] = [];
  onRequest(request: GuestRequest): void {
    this.requests.push(request);
  }
  onLog(text: string): void {
    this.log.push(text);
  }
  onEmit(media: string): EmitProblem | undefined {
    if (media === "m2") return "too large";
    return this.emitted.push(media) > 0 && media === "m1" ? undefined : "unknown";
  }
  onEnter(): void {}
  onLeave(): void {}
}

let wasm: WebAssembly.Module | undefined;
export const engineModule = (): WebAssembly.Module => (wasm ??= readEngine());

export interface StartedScript {
  readonly host: FakeEngineHost;
  readonly engine: QuickJsEngine;
  readonly end: ScriptEnd | undefined;
}

/** Starts a script in an engine of its own, without a thread. */
export async function startedScript(
  source: string,
  results: Record<string, string> = {},
  module?: ModuleUse,
): Promise<StartedScript> {
  const host = new FakeEngineHost();
  const engine = await QuickJsEngine.create(engineModule(), LIMITS, host);
  try {
    const end = await startScript(engine, { source, input: '{"a":1}', results, module });
    return { host, engine, end };
  } catch (error) {
    if (!(error instanceof ScriptSyntaxError)) throw error;
    const { name, message, stackText: stack } = error;
    return { host, engine, end: { kind: "error", error: { name, message, stack } } };
  }
}
