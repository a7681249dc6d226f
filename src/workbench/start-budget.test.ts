/** What an agent pays at the start of every conversation, by a real tokenizer and by characters. */
import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { ServerSettings, ToolMode, ToolboxSettings } from "../config/types.ts";
import { workbenchInstructions } from "./meta-tools/instructions.ts";
import { dynamicTools, openToolboxTool, proxyTools } from "./meta-tools/definitions.ts";
import { toolboxLine } from "./meta-tools/toolbox-lines.ts";

/** With every meta-tool and four toolboxes. */
const START = 800;
const EACH_FURTHER = 40;
const CHARS_PER_TOKEN = 4;

const LONG =
  "Everything around our repositories: issues, branches, reviews, deployments, incidents and their post-mortems, for all teams of the company";
const KEYWORDS = ["git", "deploy", "kubernetes", "pull request", "rollback", "on-call"];

const WORDS = [
  ...LONG.split(" "),
  ..."Rechnungen für größere Kunden, überfällige Zahlungen".split(" "),
  ..."Задачи ветки развертывания репозиториев".split(" "),
  ..."τα αρχεία και οι σημειώσεις".split(" "),
  ..."部署 分支 数据库 日历和邮件 ノート カレンダー 배포 데이터베이스".split(" "),
  ..."k8s CI/CD S3 GKE-2.0 (beta) #42 → {x} 🚀 C++".split(" "),
];

function toolbox(name: string, description: string, keywords: string[] = []): ToolboxSettings {
  const servers = ["one", "two"].map((server) => [server, { disabled: false } as ServerSettings]);
  return { name, description, keywords, servers: new Map(servers as [string, ServerSettings][]) };
}

function start(mode: ToolMode, boxes: readonly ToolboxSettings[]): [string, string] {
  const tools = mode === "proxy" ? proxyTools(boxes, true, true) : dynamicTools(boxes, true);
  return [JSON.stringify(tools), workbenchInstructions(mode, boxes)];
}

const COUNTERS = {
  o200k: ([tools, instructions]: [string, string]) =>
    countTokens(tools) + countTokens(instructions),
  "characters / 4": ([tools, instructions]: [string, string]) =>
    (tools.length + instructions.length) / CHARS_PER_TOKEN,
};

const CASES = (["proxy", "dynamic"] as const).flatMap((mode) =>
  Object.entries(COUNTERS).map(([counter, count]) => ({ mode, counter, count })),
);

describe.each(CASES)(
  "the tools and instructions in $mode mode, measured by $counter,",
  ({ mode, count }) => {
    const cost = (boxes: readonly ToolboxSettings[]): number => count(start(mode, boxes));
    const many = (n: number, description: string, keywords?: string[]): ToolboxSettings[] =>
      Array.from({ length: n }, (_, i) => toolbox(`toolbox-${i}`, description, keywords));

    it.each([
      ["short purposes", "Files and notes", []],
      ["long purposes", LONG.repeat(20), []],
      ["long purposes and keywords", LONG, KEYWORDS],
      ["one enormous keyword", "Files", ["x".repeat(5000)]],
      [
        "text in Chinese",
        "我们所有仓库的问题、分支和部署，以及更多相关内容".repeat(5),
        ["部署", "分支"],
      ],
      ["text in Russian", "Задачи, ветки и развертывания всех наших репозиториев и так далее", []],
    ])("stay within the token budget with %s", (_what, description, keywords) => {
      expect(cost(many(4, description, keywords))).toBeLessThanOrEqual(START);
      const further = cost(many(24, description, keywords)) - cost(many(4, description, keywords));
      expect(further / 20).toBeLessThanOrEqual(EACH_FURTHER);
    });

    it("stay within the token budget with names of up to 24 characters", () => {
      const names = ["incident-response-europe", "customer-data-warehouse", "prod", "a"];
      expect(cost(names.map((name) => toolbox(name, LONG, KEYWORDS)))).toBeLessThanOrEqual(START);
    });

    it("stay within the token budget whatever the descriptions are", () => {
      const text = fc
        .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 60 })
        .map((words) => words.join(" "));
      const box = fc.tuple(text, fc.array(text, { maxLength: 4 }));
      fc.assert(
        fc.property(fc.array(box, { minLength: 4, maxLength: 4 }), (texts) => {
          const boxes = texts.map(([purpose, words], i) => toolbox(`box-${i}`, purpose, words));
          expect(cost(boxes)).toBeLessThanOrEqual(START);
        }),
        { numRuns: 100 },
      );
    });
  },
);

describe("the line about a toolbox for agents", () => {
  const read = (box: ToolboxSettings): string => openToolboxTool([box]).description;
  const withServers = (box: ToolboxSettings, ...names: string[]): ToolboxSettings => ({
    ...box,
    servers: new Map(names.map((name) => [name, { disabled: name === "off" } as ServerSettings])),
  });

  it("consists of its servers, its purpose and its keywords", () => {
    const text = read(toolbox("dev", "Files and notes of the project", ["git", "diff"]));
    expect(text).toContain("\n- dev: one, two — Files and notes of the project (git, diff)");
  });

  it("always has room for keywords, and contains only whole ones", () => {
    const text = read(toolbox("dev", LONG, KEYWORDS));
    expect(text).toMatch(
      /\n- dev: one, two — Everything around our[^()]*… \(git, deploy, kubernetes\)$/,
    );
  });

  it("has whole names of servers, counts those that do not fit, and leaves out disabled ones", () => {
    const five = ["github", "jira", "linear", "figma", "sentry", "off"];
    const box = toolbox("code", "Source code, reviews, issues and builds");
    expect(read(withServers(box, ...five))).toContain(
      "\n- code: github, jira, linear, figma, sentry — Source code, reviews, issues and builds",
    );
    const many = Array.from({ length: 40 }, (_, i) => `server-${i}`);
    expect(read(withServers(box, ...many))).toMatch(
      /\n- code: server-0, server-1, .*server-\d and \d\d more — Source code/,
    );
  });

  it.each(["github, jira: issues", "Issues (github, jira)", "Issues (github and 1 more)"])(
    "does not repeat the servers that the description %j lists",
    (description) => {
      const text = read(withServers(toolbox("code", description), "github", "jira"));
      expect(text).toMatch(/\n- code: github, jira — [Ii]ssues$/);
    },
  );

  it("has no purpose if the description only lists the servers", () => {
    const text = read(withServers(toolbox("code", "Tools of github, jira"), "github", "jira"));
    expect(text).toMatch(/\n- code: github, jira$/);
  });

  it("keeps a description that only starts like a list of servers", () => {
    const text = read(withServers(toolbox("code", "github, gitlab: all issues"), "github"));
    expect(text).toMatch(/\n- code: github — github, gitlab: all issues$/);
  });

  it("gets shorter with the number of toolboxes, so that clients do not cut the last one", () => {
    const boxes = Array.from({ length: 60 }, (_, i) => toolbox(`toolbox-${i}`, LONG, KEYWORDS));
    const { description } = openToolboxTool(boxes);
    expect(description.length).toBeLessThan(2048);
    for (const { name } of boxes) expect(description).toContain(`\n- ${name}: one, two`);
  });
});

describe("the line about a toolbox with a long name", () => {
  const line = (name: string, servers: readonly string[], keywords: string[] = []): string => {
    const named = servers.map((server) => [server, { disabled: false } as ServerSettings] as const);
    return toolboxLine({ ...toolbox(name, LONG, keywords), servers: new Map(named) });
  };

  it("names servers rather than the purpose", () => {
    expect(line("customer-relationship-management", ["hubspot", "salesforce"])).toBe(
      "customer-relationship-management: hubspot, salesforce",
    );
    expect(line("data_engineering_and_analytics_platform", ["bigquery", "snowflake"])).toBe(
      "data_engineering_and_analytics_platform: bigquery and 1 more",
    );
  });

  it("ends with the name if nothing fits", () => {
    const name = "x".repeat(60);
    expect(line(name, ["y".repeat(60)], ["z".repeat(60)])).toBe(name);
  });
});
