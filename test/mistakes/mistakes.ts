/** Twelve mistakes that agents make with the meta-tools, and what they wanted to do. */

export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Mistake {
  readonly title: string;
  readonly first: ToolCall;
  /** The call that the agent had in mind. */
  readonly meant: ToolCall;
}

const tool = { toolbox: "code", server: "github", name: "create_issue" };
const args = { repository: "acme/shop", title: "Checkout fails" };
const meant: ToolCall = { name: "use_tool", input: { tool, arguments: args } };
const list = { ...tool, name: "list_issues" };

const useTool = (input: ToolCall["input"]): ToolCall => ({ name: "use_tool", input });

export const MISTAKES: readonly Mistake[] = [
  {
    title: 'the identifier as a path: `"code/github/create_issue"`',
    first: useTool({ tool: "code/github/create_issue", arguments: args }),
    meant,
  },
  {
    title: "`toolbox`, `server` and `name` without `tool` around them",
    first: useTool({ ...tool, arguments: args }),
    meant,
  },
  {
    title: "the tool's arguments beside `tool`",
    first: useTool({ tool, ...args }),
    meant,
  },
  {
    title: "the tool's arguments inside `tool`",
    first: useTool({ tool: { ...tool, arguments: args } }),
    meant,
  },
  {
    title: "`arguments` as JSON text",
    first: useTool({ tool, arguments: JSON.stringify(args) }),
    meant,
  },
  {
    title: "no toolbox",
    first: useTool({ tool: { server: "github", name: "create_issue" }, arguments: args }),
    meant,
  },
  {
    title: "a server in the wrong toolbox",
    first: useTool({ tool: { ...tool, toolbox: "knowledge" }, arguments: args }),
    meant,
  },
  {
    title: "the tool called directly, without `use_tool`",
    first: { name: "create_issue", input: args },
    meant,
  },
  {
    title: "a missing argument",
    first: useTool({ tool, arguments: { repository: "acme/shop" } }),
    meant,
  },
  {
    title: "a misspelt argument",
    first: useTool({ tool, arguments: { repo: "acme/shop", title: "Checkout fails" } }),
    meant,
  },
  {
    title: "an argument of the wrong type",
    first: useTool({ tool: list, arguments: { repository: "acme/shop", limit: "10" } }),
    meant: useTool({ tool: list, arguments: { repository: "acme/shop", limit: 10 } }),
  },
  {
    title: "`open_toolbox` with the name of a server",
    first: { name: "open_toolbox", input: { toolbox: "github", detail: "names" } },
    meant: { name: "open_toolbox", input: { toolbox: "code", detail: "names" } },
  },
];
