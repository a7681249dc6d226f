import { createHash } from "node:crypto";
import { cut } from "../../text/truncate.ts";
import type { JsonObject } from "../../wire/messages.ts";
import { workbenchInstructions } from "../../workbench/meta-tools/instructions.ts";
import { OWN_SKILLS } from "../surface/kept-schemes.ts";

/**
 * The skills of the workbench itself: how to use it, one for each toolbox, and one for scripts. They
 * depend only on the configuration, so that their digests stay the same until it changes.
 */

/** What a client uses, as far as its skills tell about it. */
export interface SkillContext {
  readonly use: "proxy" | "dynamic" | "listed";
  readonly hasScripts: boolean;
  readonly toolboxes: readonly SkillToolbox[];
}

export interface SkillToolbox {
  readonly name: string;
  readonly description: string;
  readonly servers: readonly string[];
}

/** A skill with its only file. */
export interface OwnSkill {
  readonly uri: string;
  readonly frontmatter: { readonly name: string; readonly description: string };
  readonly text: string;
}

const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 1024;

export function ownSkills(context: SkillContext): OwnSkill[] {
  const names = new Set(["mcp-workbench", "workbench-scripts"]);
  return [
    skill("mcp-workbench", "Find and call the tools of all MCP servers behind this one.", [
      workbenchInstructions(context.use, context.toolboxes),
      HABITS[context.use],
    ]),
    ...(context.hasScripts ? [skill("workbench-scripts", SCRIPTS_USE, [SCRIPTS])] : []),
    ...context.toolboxes.map((toolbox) =>
      skill(
        newName(toolbox.name, names),
        `Use the tools of the toolbox '${toolbox.name}'. ${toolbox.description}`,
        [
          toolbox.description,
          `Its servers: ${toolbox.servers.join(", ")}.`,
          openingOf(context.use, toolbox.name),
        ],
      ),
    ),
  ];
}

/** The skill as clients list it. */
export function entryOf({ uri, frontmatter, text }: OwnSkill): JsonObject {
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  return { uri, frontmatter, resources: [{ uri, digest, size: Buffer.byteLength(text) }] };
}

function skill(name: string, given: string, paragraphs: readonly string[]): OwnSkill {
  const description = cut(given.trim(), MAX_DESCRIPTION_CHARS);
  const body = paragraphs.filter((paragraph) => paragraph !== "").join("\n\n");
  // A string of JSON is one of YAML.
  const head = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n`;
  return {
    uri: `${OWN_SKILLS}${name}/SKILL.md`,
    frontmatter: { name, description },
    text: `${head}\n# ${name}\n\n${body}\n`,
  };
}

/** A name that skills may have, for a toolbox. */
function newName(toolbox: string, taken: Set<string>): string {
  const legal = `toolbox-${toolbox.toLowerCase()}`.replaceAll(/[^a-z0-9]+/g, "-");
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? "" : `-${n}`;
    const name = legal.slice(0, MAX_NAME_CHARS - suffix.length).replace(/-$/, "") + suffix;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

const HABITS = {
  proxy:
    "Search with the words of the task, one step at a time, and call what fits with `use_tool`. Open a toolbox if you need several of its tools. An error names the fields that are wrong and shows the call that was probably meant.",
  dynamic:
    "Search with the words of the task, one step at a time, then open the toolbox of the tool that fits. Close a toolbox that you no longer need.",
  listed: "Search with the words of the task, one step at a time, and call what fits.",
};

function openingOf(use: SkillContext["use"], name: string): string {
  const input = JSON.stringify({ toolbox: name });
  if (use === "listed") return `Its tools are in the tool list, as ${name}__SERVER__TOOL.`;
  const call = `\`open_toolbox ${input}\``;
  if (use === "dynamic") return `${call} adds its tools to the tool list.`;
  return `${call} lists its tools with their schemas. Call them with \`use_tool\`.`;
}

const SCRIPTS_USE =
  "Write a script for run_script that calls many tools in one step: loops, joins and filters over results.";

const SCRIPTS = `A script is the body of an async function in JavaScript or TypeScript. Only what it returns enters the conversation.

| | |
| --- | --- |
| \`await call("toolbox/server/tool", args)\` | calls a tool: its structured content, or its text, parsed if it is JSON; throws on errors |
| \`await tools.TOOLBOX.SERVER.TOOL(args)\` | the same; \`tools.dev["my-server"]\` if a name is not an identifier |
| \`await call.raw(path, args)\` | the whole result |
| \`input\` | the input of the script |
| \`results.r1\` | a stored result |
| \`emit(media)\`, \`console.log(…)\`, \`await sleep(ms)\` | add an image or a sound; print; wait |

There is no network, no files and no modules. Use \`Promise.all\` for calls that do not depend on each other:

\`\`\`js
const paths = await call("TOOLBOX/SERVER/list", { path: "." });
const texts = await Promise.all(paths.map((path) => call("TOOLBOX/SERVER/read", { path })));
return texts.filter((text) => text.includes("TODO")).length;
\`\`\``;
