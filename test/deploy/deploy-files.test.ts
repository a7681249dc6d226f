/**
 * The files in deploy/ agree with the program and with each other. Nothing here starts a container or a cluster:
 * image.full.test.ts and tools.full.test.ts run what can be run without them.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";

import { readArguments } from "../../src/cli/core/arguments.ts";
import { requireCommand } from "../../src/cli/help.ts";
import { parseConfig } from "../../src/config/load.ts";
import { routeOf } from "../../src/serve/http/routes.ts";
import { VERSION } from "../../src/version.ts";
import { renderChart } from "./chart/render.ts";
import {
  CHART,
  composeFile,
  containerStages,
  deployFile,
  listOf,
  PORT,
  ROOT,
  variablesOf,
} from "./files.ts";

/** Throws if the program does not have these options. */
function serveOptions(command: readonly string[]) {
  const [name, ...args] = command;
  expect(name).toBe("serve");
  return readArguments(requireCommand("serve"), args);
}

const KEY = Buffer.alloc(32).toString("base64");
/** Values that have to look like what they are. */
const VALUES: Readonly<Record<string, string>> = {
  CLUSTER_KEY: KEY,
  OTHER_CLUSTER_KEY: KEY,
  REDIS_URL: "redis://redis:6379",
};

/** The settings of a configuration with exactly these variables; one that is missing is an error. */
async function settingsOf(text: string, variables: readonly string[]) {
  const env = Object.fromEntries(variables.map((name) => [name, VALUES[name] ?? "value"]));
  const settings = await parseConfig(text, { env });
  // Users of the chart add their toolboxes.
  expect(settings.warnings.filter((one) => !one.startsWith("toolboxes: there are none"))).toEqual(
    [],
  );
  expect(JSON.stringify(settings.cluster)).not.toContain("${");
  return settings;
}

describe("the container file", () => {
  const stages = containerStages();
  const build = stages.get("build") ?? [];

  it.each(["workbench", "tools"])(
    "%s: runs the workbench as a user without rights",
    async (name) => {
      const stage = stages.get(name) ?? [];
      const text = (instruction: string) =>
        stage.filter((one) => one.name === instruction).map((one) => one.text);
      expect(text("USER")).toEqual(["65532:65532"]);
      expect(text("EXPOSE")).toEqual([String(PORT)]);
      const command = serveOptions(listOf(stage, "CMD"));
      expect(command.text("http")).toBe(`0.0.0.0:${PORT}`);
      expect(command.text("token-env")).toBe("WORKBENCH_TOKEN");
      expect(listOf(stage, "ENTRYPOINT").slice(-2)).toEqual(["node", "/app/dist/bin.cjs"]);
      const [, path = ""] = /127\.0\.0\.1:7333(\/\w+)/.exec(text("HEALTHCHECK")[0] ?? "") ?? [];
      expect(routeOf(path).kind).toBe("health");
      const { HOME, XDG_STATE_HOME, XDG_CACHE_HOME } = variablesOf(stage);
      for (const folder of [HOME, XDG_STATE_HOME, XDG_CACHE_HOME])
        expect(folder).toMatch(/^\/data\b/);
    },
  );

  it("takes into an image only what was built, and what the build needs from the repository", () => {
    expect([...stages.keys()].at(-1)).toBe("workbench");
    const copied = (stages.get("workbench") ?? []).filter(({ name }) => name === "COPY");
    expect(copied.every(({ text }) => text.startsWith("--from=build "))).toBe(true);
    expect(build.map(({ name }) => name)).not.toContain("USER");
    const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
    expect(ignored.filter((line) => line !== "" && !line.startsWith("#"))[0]).toBe("*");
    expect(ignored).toContain("**/.env");
  });
});

describe("the compose file", () => {
  const { services, volumes, networks } = composeFile();
  const replicas = Object.entries(services).filter(([name]) => name.startsWith("workbench-"));
  const example = Array.from(
    deployFile("compose/.env.example").matchAll(/^(\w+)=/gm),
    ([, it]) => it,
  );

  it("runs three replicas with the options and variables that the program and the configuration have", async () => {
    expect(replicas.map(([name]) => name)).toEqual(["workbench-1", "workbench-2", "workbench-3"]);
    for (const [name, { command = [], environment = {}, stop_grace_period }] of replicas) {
      const options = serveOptions(command);
      expect(options.text("http")).toBe(`0.0.0.0:${PORT}`);
      expect(Object.keys(environment)).toContain(options.text("token-env"));
      const { cluster } = await settingsOf(
        deployFile("compose/workbench-config.json").replace(
          "${REPLICA}",
          environment["REPLICA"] ?? "",
        ),
        Object.keys(environment),
      );
      expect(cluster?.advertise).toBe(`http://${name}:${PORT}`);
      expect(new URL(cluster?.redis ?? "").hostname).toBe("redis");
      expect(Number.parseInt(stop_grace_period ?? "", 10) * 1000).toBeGreaterThan(
        cluster?.drainMs ?? Number.NaN,
      );
    }
  });

  it("limits every container, and publishes only the load balancer", () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.read_only, name).toBe(true);
      expect(service.cap_drop, name).toEqual(["ALL"]);
      expect(service.security_opt, name).toEqual(["no-new-privileges:true"]);
      expect(service.ports !== undefined, name).toBe(name === "haproxy");
    }
  });

  it("runs Redis in place of the shell, so that it gets signals, with its password in a file", () => {
    const [shell = "", option = "", script = ""] = services["redis"]?.command ?? [];
    const folder = mkdtempSync(join(tmpdir(), "mcp-workbench-compose-"));
    try {
      writeFileSync(join(folder, "redis-server"), '#!/bin/sh\necho $$\ncat "$1"\n', {
        mode: 0o755,
      });
      // What Compose makes of the text, in another folder.
      const text = script.replaceAll("$$", "$").replaceAll("/tmp/", `${folder}/`);
      const env = { PATH: `${folder}:${process.env["PATH"]}`, REDIS_PASSWORD: "secret 1" };
      const { pid, stdout } = spawnSync(shell, [option, text], { env, encoding: "utf8" });
      expect(stdout).toBe(`${pid}\nrequirepass secret 1\n`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("refers only to what exists", () => {
    for (const service of Object.values(services)) {
      for (const volume of service.volumes ?? []) {
        const [from = ""] = volume.split(":");
        const isFile = from.startsWith("./") && existsSync(join(ROOT, "deploy/compose", from));
        expect(isFile || from in volumes, from).toBe(true);
      }
      expect(Object.keys(networks)).toEqual(expect.arrayContaining([...(service.networks ?? [])]));
      expect(Object.keys(services)).toEqual(
        expect.arrayContaining([...(service.depends_on ?? [])]),
      );
    }
    const used = deployFile("compose/compose.yaml").matchAll(/(?<!\$)\$\{(\w+)/g);
    expect(new Set(Array.from(used, ([, name]) => name))).toEqual(new Set(example));
  });
});

describe("the configuration of HAProxy", () => {
  const config = deployFile("compose/haproxy.cfg");
  const active = config
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));

  it("leads to the replicas, checks whether they are ready, and repeats only what was not sent", () => {
    const servers = active.filter((line) => line.startsWith("server "));
    expect(servers).toEqual([1, 2, 3].map((n) => `server workbench-${n} workbench-${n}:${PORT}`));
    const [, path = ""] = /uri (\S+)/.exec(config) ?? [];
    expect(routeOf(path).kind).toBe("ready");
    expect(active.filter((line) => /^retry-on|redispatch/.test(line))).toEqual([
      "retry-on conn-failure",
      "option redispatch 1",
    ]);
    expect(composeFile().services["haproxy"]?.ports?.[0]).toMatch(/:8080$/);
    expect(active).toContain("bind :8080");
  });
});

describe("the systemd unit", () => {
  const unit = deployFile("systemd/mcp-workbench.service");
  const values = (key: string) =>
    Array.from(unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm")), ([, it = ""]) => it);

  it("starts the program with options that it has, and gives it time to end", async () => {
    const [, ...command] = values("ExecStart")[0]?.split(" ") ?? [];
    expect(serveOptions(command).text("http")).toBe(`127.0.0.1:${PORT}`);
    const { cluster } = await settingsOf(deployFile("compose/workbench-config.json"), [
      "CLUSTER_KEY",
      "REDIS_PASSWORD",
      "REPLICA",
    ]);
    expect(Number(values("TimeoutStopSec")) * 1000).toBeGreaterThan(cluster?.drainMs ?? Number.NaN);
  });
});

/** The parts of the chart's objects that the tests read. */
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number };
  readonly containers: readonly {
    readonly image: string;
    readonly args: readonly string[];
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly env: readonly { readonly name: string; readonly value?: string }[];
    readonly livenessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
    readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
    readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: string[] } } };
    readonly securityContext: object;
  }[];
}

interface Objects {
  readonly ConfigMap: { readonly data: Readonly<Record<string, string>> };
  readonly Deployment: {
    readonly spec: { readonly replicas?: number; readonly template: { readonly spec: Pod } };
  };
  readonly HorizontalPodAutoscaler?: {
    readonly spec: {
      readonly metrics: readonly {
        readonly pods: { readonly metric: { readonly name: string } };
      }[];
    };
  };
}

const rendered = new Map<object, Objects>();
const NONE = {};

function chart(values: Readonly<Record<string, unknown>> = NONE): Objects {
  const objects = rendered.get(values) ?? (renderChart(CHART, values) as unknown as Objects);
  rendered.set(values, objects);
  return objects;
}

describe("the Helm chart", () => {
  const ALL = {
    autoscaling: { enabled: true },
    secret: { keys: { otherCluster: "other" } },
    secretEnv: { TICKETS_TOKEN: { name: "tickets", key: "token" } },
    config: {
      toolboxes: {
        tickets: {
          description: "Tickets",
          mcpServers: {
            tickets: {
              url: "https://tickets.example.com/mcp",
              headers: { Authorization: "Bearer ${TICKETS_TOKEN}" },
            },
          },
        },
      },
    },
  };

  it("has the objects of a deployment, and further ones by request", () => {
    const objects = [
      "ConfigMap",
      "Deployment",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Service",
      "ServiceAccount",
    ];
    expect(Object.keys(chart()).toSorted()).toEqual(objects);
    expect(Object.keys(chart(ALL))).toContain("HorizontalPodAutoscaler");
    expect(chart().Deployment.spec.replicas).toBe(3);
    expect(chart(ALL).Deployment.spec.replicas).toBeUndefined();
    const off = { networkPolicy: { enabled: false }, podDisruptionBudget: { enabled: false } };
    expect(Object.keys(chart(off))).not.toContain("NetworkPolicy");
    expect(parse(deployFile("helm/mcp-workbench/Chart.yaml")) as object).toMatchObject({
      version: VERSION,
      appVersion: VERSION,
    });
  });

  it.each([NONE, ALL])("writes a configuration whose variables the pods have", async (values) => {
    const { ConfigMap, Deployment } = chart(values);
    const pod = Deployment.spec.template.spec;
    const [container] = pod.containers;
    const names = container?.env.map(({ name }) => name) ?? [];
    const text = ConfigMap.data["workbench-config.json"] ?? "";
    const { cluster } = await settingsOf(text, names);
    expect(cluster?.advertise).toBe(`http://value:${PORT}`);
    // Another release may use the same Redis.
    expect(cluster?.name).toMatch(/^tools-[\da-f]{8}$/);
    expect(names).toContain("POD_IP");
    const options = serveOptions(container?.args ?? []);
    expect(names).toContain(options.text("token-env"));
    expect(options.list("allow-host")).toEqual(["workbench.example.com"]);
    // No secret is a value.
    expect(container?.env.filter(({ value }) => value !== undefined)).toEqual([]);
    const [, preStopMs] = /,(\d+)\)/.exec(container?.lifecycle.preStop.exec.command[2] ?? "") ?? [];
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(
      (cluster?.drainMs ?? Number.NaN) + Number(preStopMs),
    );
  });

  it("probes and scales by what the program serves", () => {
    const [container] = chart().Deployment.spec.template.spec.containers;
    const { livenessProbe: live, readinessProbe: ready } = container ?? {};
    expect(routeOf(live?.httpGet.path ?? "").kind).toBe("health");
    expect(routeOf(ready?.httpGet.path ?? "").kind).toBe("ready");
    const options = serveOptions(container?.args ?? []);
    const ports = Object.fromEntries(
      container?.ports.map((one) => [one.name, one.containerPort]) ?? [],
    );
    expect([options.text("http"), options.text("metrics")]).toEqual([
      `0.0.0.0:${ports["http"]}`,
      `0.0.0.0:${ports["metrics"]}`,
    ]);
    const [metric] = chart(ALL).HorizontalPodAutoscaler?.spec.metrics ?? [];
    const documented = readFileSync(join(ROOT, "docs/telemetry.md"), "utf8");
    expect(documented).toContain(`\`${metric?.pods.metric.name}\``);
  });

  it("meets the restricted pod security standard", () => {
    const pod = chart().Deployment.spec.template.spec;
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(pod.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  it("accepts its own values, and refuses unknown ones and secrets in plain text", () => {
    const schema = z.fromJSONSchema(
      JSON.parse(
        deployFile("helm/mcp-workbench/values.schema.json"),
      ) as z.core.JSONSchema.JSONSchema,
    );
    const defaults = parse(deployFile("helm/mcp-workbench/values.yaml")) as object;
    const accepts = (values: object) => schema.safeParse({ ...defaults, ...values }).success;
    expect(schema.safeParse(defaults).error).toBeUndefined();
    expect(accepts({ secretEnv: { A: { name: "secret", key: "a" } } })).toBe(true);
    expect(accepts({ secretEnv: { A: "plain" } })).toBe(false);
    expect(accepts({ replica: 3 })).toBe(false);
    expect(accepts({ config: { toolboxes: {}, cluster: {} } })).toBe(false);
    expect(accepts({ config: { toolboxes: {}, http: { sessions: 10 } } })).toBe(true);
    expect(accepts({ config: { toolboxes: {}, http: { tls: {} } } })).toBe(false);
    expect(accepts({ drainSeconds: "30" })).toBe(false);
  });
});
