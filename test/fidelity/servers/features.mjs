// What the fixture servers do with a request, on any transport. Written for the modern era, in
// which a handler that needs input returns its requests and is called again with the answers; the
// SDK turns that into requests for legacy clients.
import {
  APP_TOOLS,
  BLOCKS,
  CONTENTS,
  EXTRA_PROMPT,
  EXTRA_RESOURCE,
  EXTRA_TOOL,
  LANGUAGES,
  PAGE,
  PAGE_SIZE,
  PAGE_URI,
  PROMPTS,
  QUESTIONS,
  RESOURCES,
  RESOURCE_TEMPLATES,
  RESULT_META,
  RPC_ERROR,
  SKILL,
  STRUCTURED,
  TINY_PNG,
  TOOLS,
} from "./definitions.mjs";

/** An error that reaches the client as the JSON-RPC error it describes. */
export class RpcError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const text = (value) => ({ content: [{ type: "text", text: value }] });
const json = (value) => text(JSON.stringify(value));
const user = (content) => ({ role: "user", content });
const words = (value) => ({ type: "text", text: value });

/** Answers to all the questions, or the result that asks them. */
function ask(call, questions, requestState) {
  const answers = call.inputResponses ?? {};
  if (Object.keys(questions).every((key) => answers[key] !== undefined)) return { answers };
  const wanted = { resultType: "input_required", inputRequests: questions };
  return { wanted: requestState === undefined ? wanted : { ...wanted, requestState } };
}

function question(what) {
  const found = QUESTIONS[what];
  if (found === undefined) throw new RpcError(-32602, `Unknown question: ${what}`);
  return found;
}

/** The state of the server, and how it notifies listeners of changes. */
export class Features {
  #extras = new Set();
  #toolChanges = 0;
  #cancelled = [];
  #heard = [];
  #holds = new Map();
  #changed;
  #updated;

  /**
   * @param {(kind: "tools" | "prompts" | "resources") => void} changed reports that a list changed
   * @param {(uri: string, era: string) => void} updated reports that a resource changed
   */
  constructor(changed, updated) {
    this.#changed = changed;
    this.#updated = updated;
  }

  /** A notification of the client that the protocol does not define. */
  heard(method, params) {
    this.#heard.push({ method, params });
  }

  list(kind, { cursor } = {}) {
    const hasApps = this.#extras.has("apps");
    const lists = {
      tools: this.#with("tools", this.#ownTools, EXTRA_TOOL).concat(hasApps ? APP_TOOLS : []),
      prompts: this.#with("prompts", PROMPTS, EXTRA_PROMPT),
      resources: this.#with("resources", RESOURCES, EXTRA_RESOURCE).concat(hasApps ? [PAGE] : []),
      resourceTemplates: RESOURCE_TEMPLATES,
    };
    const start = cursor === undefined ? 0 : Number(cursor);
    const end = start + PAGE_SIZE;
    const all = lists[kind];
    return { [kind]: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
  }

  /**
   * The list differs after every change. A tool that came and went would leave no change to report to a workbench
   * that reads the list once for both, and a late report of an earlier change makes a client that fast.
   */
  get #ownTools() {
    const _meta = { "fixture/changes": this.#toolChanges };
    return TOOLS.map((tool) => (tool.name === "change" ? { ...tool, _meta } : tool));
  }

  #with(kind, list, extra) {
    return this.#extras.has(kind) ? [...list, extra] : list;
  }

  #tools = {
    echo: (args) => text(args.text),
    content: () => ({ content: BLOCKS, _meta: RESULT_META }),
    structured: () => ({ ...json(STRUCTURED), structuredContent: STRUCTURED }),
    fails: () => ({ ...text("the tool went wrong"), isError: true }),
    rpc_error: () => {
      throw new RpcError(RPC_ERROR.code, RPC_ERROR.message, RPC_ERROR.data);
    },
    told: (args, call) =>
      json({ ...call.told, arguments: args, cancelled: this.#cancelled, heard: this.#heard }),
    progress: async (args, call) => {
      for (let progress = 1; progress <= args.steps; progress++) {
        await call.progress({ progress, total: args.steps, message: `step ${progress}` });
      }
      await this.#held(args.hold);
      return text("done");
    },
    wait: async (args, call) => {
      const over = new Promise((resolve) => call.signal.addEventListener("abort", resolve));
      await call.progress({ progress: 0, message: "waiting" });
      await over;
      this.#cancelled.push(args.nonce);
      return text("nobody hears this");
    },
    log: async (_, call) => {
      for (const level of ["debug", "warning", "error"])
        await call.log({ level, logger: "fixture", data: { about: level, n: [1, null] } });
      return text("logged");
    },
    touch: (args, call) => {
      this.#updated(args.uri, call.told.era);
      return text("touched");
    },
    change: (args) => {
      if (args.on) this.#extras.add(args.kind);
      else this.#extras.delete(args.kind);
      if (args.kind === "tools" || args.kind === "apps") this.#toolChanges++;
      for (const kind of args.kind === "apps" ? ["tools", "resources"] : [args.kind])
        this.#changed(kind);
      return text("changed");
    },
    announce: async (_, call) => {
      await call.notify("notifications/fixture/announced", { n: 1, deep: { x: [null] } });
      return text("announced");
    },
    ask: async (args, call) => {
      const { answers, wanted } = ask(call, { it: question(args.what) });
      if (wanted) return wanted;
      await call.progress({ progress: 1, message: "answered" });
      await this.#held(args.hold);
      return json(answers.it);
    },
    ask_rounds: (_, call) => {
      const round = call.requestState === undefined ? 1 : 2;
      const first = ask(call, { name: QUESTIONS.form }, "waiting for the name");
      if (round === 1 && first.wanted) return first.wanted;
      if (call.inputResponses?.name !== undefined) {
        const state = `named ${call.inputResponses.name.content.name}`;
        return { ...ask({}, { model: QUESTIONS.sampling }, state).wanted };
      }
      return json({ state: call.requestState, model: call.inputResponses?.model });
    },
    ask_many: (_, call) => {
      const { form, url, roots } = QUESTIONS;
      const { answers, wanted } = ask(call, { form, url, roots }, "three at once");
      return wanted ?? json({ ...answers, state: call.requestState });
    },
    go_on: (args) => {
      this.#holds.get(args.hold)?.();
      this.#holds.delete(args.hold);
      return text("gone on");
    },
    extra_tool: () => text("extra"),
    show: () => ({ ...text("shown"), _meta: { ui: { resourceUri: PAGE_URI } } }),
    refresh: () => text("refreshed"),
  };

  /**
   * Keeps a result back until `go_on` is called. The client SDKs drop progress that arrives together
   * with the result, so a client that wants to see it calls for the result when it has.
   */
  #held(hold) {
    if (hold === undefined) return undefined;
    return new Promise((resolve) => this.#holds.set(hold, resolve));
  }

  callTool({ name, arguments: args = {} }, call) {
    if (!Object.hasOwn(this.#tools, name)) throw new RpcError(-32602, `Unknown tool: ${name}`);
    return this.#tools[name](args, call);
  }

  getPrompt({ name, arguments: args = {} }, call) {
    switch (name) {
      case "greet":
        return {
          description: "A greeting",
          messages: [user(words(`Greet in ${args.language}, ${args.tone ?? "plainly"}`))],
          _meta: RESULT_META,
        };
      case "plain":
      case "extra_prompt":
        return { messages: [user(words(name)), { role: "assistant", content: words("Yes?") }] };
      case "rich":
        return {
          messages: [
            user({ type: "image", data: TINY_PNG, mimeType: "image/png" }),
            user({ type: "resource", resource: CONTENTS["fixture://text"] }),
          ],
        };
      case "ask": {
        const { answers, wanted } = ask(call, { it: question(args.what) });
        return wanted ?? { messages: [user(words(JSON.stringify(answers.it)))] };
      }
      default:
        throw new RpcError(-32602, `Unknown prompt: ${name}`);
    }
  }

  readResource({ uri }, call) {
    if (Object.hasOwn(CONTENTS, uri)) return { contents: [CONTENTS[uri]], _meta: RESULT_META };
    const item = /^fixture:\/\/item\/(\w+)$/.exec(uri);
    if (item)
      return { contents: [{ uri, mimeType: "application/json", text: `{"id":${item[1]}}` }] };
    const path = /^fixture:\/\/path\/(.*)$/.exec(uri);
    if (path) return { contents: [{ uri, text: path[1] }] };
    const asked = /^fixture:\/\/ask\/(\w+)$/.exec(uri);
    if (!asked) throw new RpcError(-32602, `Resource not found: ${uri}`, { uri });
    const { answers, wanted } = ask(call, { it: question(asked[1]) });
    return wanted ?? { contents: [{ uri, text: JSON.stringify(answers.it) }] };
  }

  complete({ ref, argument, context }) {
    if (ref.type === "ref/resource") {
      const values = [`${argument.value}0`, `${argument.value}1`];
      return { completion: { values, total: 12, hasMore: true } };
    }
    const chosen = context?.arguments?.tone === "warm" ? ["greek"] : LANGUAGES;
    const values = chosen.filter((language) => language.startsWith(argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  }

  /** Methods about skills; undefined for all others. */
  skills(method, params) {
    if (method === "skills/list") return { skills: [SKILL] };
    if (method !== "skills/get") return undefined;
    if (params.uri !== SKILL.uri) throw new RpcError(-32602, `Unknown skill: ${params.uri}`);
    return { skill: SKILL };
  }

  custom(params, call) {
    return { echoed: params, era: call.told.era };
  }
}
