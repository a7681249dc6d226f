/** The files in deploy/, as tests read them. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const CHART = `${ROOT}deploy/helm/mcp-workbench`;
/** Where the workbench listens in all of them. */
export const PORT = 7333;

export const deployFile = (path: string): string => readFileSync(`${ROOT}deploy/${path}`, "utf8");

export interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: readonly string[];
  readonly stop_grace_period?: string;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly networks: object;
}

export function composeFile(): ComposeFile {
  return parse(deployFile("compose/compose.yaml"), { merge: true }) as ComposeFile;
}

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of each stage of the container file, by its name. */
export function containerStages(): ReadonlyMap<string, readonly Instruction[]> {
  const stages = new Map<string, Instruction[]>();
  const lines = deployFile("Containerfile")
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n/g, "")
    .split("\n");
  let stage: Instruction[] = [];
  for (const line of lines) {
    const [, name = "", text = ""] = /^([A-Z]+)\s+([^]*)$/.exec(line) ?? [];
    if (name === "FROM") stages.set(/ AS (\S+)$/.exec(text)?.[1] ?? text, (stage = []));
    if (name !== "") stage.push({ name, text });
  }
  return stages;
}

/** The variables that a stage sets. */
export function variablesOf(stage: readonly Instruction[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    stage
      .filter(({ name }) => name === "ENV")
      .flatMap(({ text }) => text.trim().split(/\s+/))
      .map((pair) => pair.split("=") as [string, string]),
  );
}

/** The last value of an instruction that is written as a JSON list. */
export function listOf(stage: readonly Instruction[], name: string): readonly string[] {
  const found = stage.findLast((one) => one.name === name)?.text ?? "[]";
  return JSON.parse(found.slice(found.indexOf("["))) as string[];
}
