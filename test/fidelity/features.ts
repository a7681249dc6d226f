/** The rows of the matrix. */

export const GROUPS = {
  "The server introduces itself": {
    hello: "Name, title, icons and capabilities of the server",
    instructions: "Instructions of the server",
    capabilitiesTold: "The server gets the real capabilities of the client",
    clientInfoTold: "The server gets the name and version of the client",
  },
  Tools: {
    toolsList: "Definitions arrive whole: schemas, title, icons, annotations, `_meta`",
    toolsPages: "All pages of the list",
    toolsChanged: "`tools/list_changed`",
    text: "Text",
    image: "Image",
    audio: "Audio",
    resourceLink: "Link to a resource",
    embeddedResource: "Embedded resource, text and binary",
    blockAnnotations: "Annotations and `_meta` of content",
    unknownBlock: "Unknown content types and members of results",
    structured: "`structuredContent`",
    isError: "`isError`",
    rpcError: "JSON-RPC error with code, message and data",
    resultMeta: "`_meta` of the result",
    requestMeta: "`_meta` of the request",
    trace: "Trace context (`traceparent`, `tracestate`, `baggage`)",
    progress: "Progress",
    cancellation: "Cancellation",
  },
  Resources: {
    resourcesList: "List, with everything a definition carries",
    resourcesPages: "All pages of the lists",
    resourcesChanged: "`resources/list_changed`",
    readText: "Read a text",
    readBinary: "Read binary data",
    templates: "Templates, and reading what they describe",
    notFound: "The error for a resource that does not exist",
    bareUri: "The URI in a tool result can be read unchanged",
    updated: "Subscribe and `resources/updated`",
    unsubscribed: "Nothing more after unsubscribing",
  },
  Prompts: {
    promptsList: "List, with everything a definition carries",
    promptsPages: "All pages of the list",
    promptsChanged: "`prompts/list_changed`",
    promptGet: "Get, with arguments",
    promptRich: "Images and resources in messages",
  },
  Utilities: {
    completePrompt: "Completion of a prompt's argument, with context",
    completeTemplate: "Completion of a template's variable",
    logging: "Log messages, from the level the client has set",
    ping: "Ping",
  },
  "Requests of the server": {
    formFromTool: "Elicitation by form, from a tool call",
    formFromPrompt: "Elicitation by form, from a prompt",
    formFromResource: "Elicitation by form, from reading a resource",
    formDeclined: "A form that the user declines",
    urlFromTool: "Elicitation by URL, from a tool call",
    urlFromPrompt: "Elicitation by URL, from a prompt",
    urlFromResource: "Elicitation by URL, from reading a resource",
    samplingFromTool: "Sampling, from a tool call",
    samplingFromPrompt: "Sampling, from a prompt",
    samplingFromResource: "Sampling, from reading a resource",
    rootsFromTool: "Roots, from a tool call",
    rootsFromPrompt: "Roots, from a prompt",
    rootsFromResource: "Roots, from reading a resource",
    rounds: "One request after the other, with state in between",
    manyAtOnce: "Several requests at once",
    progressAfterQuestion: "Progress after the request was answered",
    rootsChanged: "`roots/list_changed` of the client",
    sharedRefused:
      "Two clients share a connection: a request that may be for either is refused with a hint",
    sharedIsolated: 'Two clients with `"isolation": "session"`: each gets its own requests',
  },
  Tasks: {
    legacyTask: "Tasks of 2025-11-25: start, get, result",
    legacyTaskList: "Tasks of 2025-11-25: list and cancel",
    modernTask: "Tasks extension: start, get, update, result",
    modernTaskCancel: "Tasks extension: cancel",
  },
  "What is not in the protocol": {
    customMethod: "Methods of the server's own",
    customFromServer: "Notifications of the server's own",
    customFromClient: "Notifications of the client's own",
  },
  "The modern era": {
    discover: "`server/discover`",
    resultType: "`resultType` in every result",
    cacheHints: "`ttlMs` and `cacheScope`",
    listen: "`subscriptions/listen`: acknowledged first, every notification with its id",
    listenHonoured: "The acknowledgement names exactly what will be sent",
    unknownVersion: "An unknown version is refused with the supported ones",
    removedMethods: "Removed methods are not found",
  },
} as const;

type Groups = typeof GROUPS;
export type FeatureId = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups];

export const FEATURES = Object.values(GROUPS).flatMap((group) => Object.keys(group)) as FeatureId[];

export function titleOf(id: FeatureId): string {
  for (const group of Object.values(GROUPS)) {
    const titles: Readonly<Record<string, string>> = group;
    const title = titles[id];
    if (title !== undefined) return title;
  }
  return id;
}
