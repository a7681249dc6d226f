/** The rows of the matrix. */

export const GROUPS = {
  "Server information": {
    hello: "Server name, title, icons and capabilities",
    instructions: "Server instructions",
    capabilitiesTold: "The server receives the client's real capabilities",
    clientInfoTold: "The server receives the client's name and version",
  },
  Tools: {
    toolsList: "Complete definitions: schemas, title, icons, annotations, `_meta`",
    toolsPages: "All pages of the list",
    toolsChanged: "`tools/list_changed`",
    text: "Text",
    image: "Image",
    audio: "Audio",
    resourceLink: "Resource link",
    embeddedResource: "Embedded resource, text and binary",
    blockAnnotations: "Annotations and `_meta` on content",
    unknownBlock: "Unknown content types and unknown members of results",
    structured: "`structuredContent`",
    isError: "`isError`",
    rpcError: "JSON-RPC error with code, message and data",
    resultMeta: "`_meta` on the result",
    requestMeta: "`_meta` on the request",
    trace: "Trace context (`traceparent`, `tracestate`, `baggage`)",
    progress: "Progress",
    cancellation: "Cancellation",
  },
  Resources: {
    resourcesList: "List with complete definitions",
    resourcesPages: "All pages of the lists",
    resourcesChanged: "`resources/list_changed`",
    readText: "Read text",
    readBinary: "Read binary data",
    templates: "Templates, and reading a resource that matches one",
    notFound: "The error for a resource that does not exist",
    bareUri: "A URI from a tool result can be read unchanged",
    updated: "Subscribe and `resources/updated`",
    unsubscribed: "No more updates after unsubscribing",
  },
  Prompts: {
    promptsList: "List with complete definitions",
    promptsPages: "All pages of the list",
    promptsChanged: "`prompts/list_changed`",
    promptGet: "Get, with arguments",
    promptRich: "Images and resources in messages",
  },
  Utilities: {
    completePrompt: "Completion of a prompt argument, with context",
    completeTemplate: "Completion of a template variable",
    logging: "Log messages from the level the client requested",
    ping: "Ping",
  },
  "Requests from the server": {
    formFromTool: "Elicitation by form, from a tool call",
    formFromPrompt: "Elicitation by form, from a prompt",
    formFromResource: "Elicitation by form, from reading a resource",
    formDeclined: "A form declined by the user",
    urlFromTool: "Elicitation by URL, from a tool call",
    urlFromPrompt: "Elicitation by URL, from a prompt",
    urlFromResource: "Elicitation by URL, from reading a resource",
    samplingFromTool: "Sampling, from a tool call",
    samplingFromPrompt: "Sampling, from a prompt",
    samplingFromResource: "Sampling, from reading a resource",
    rootsFromTool: "Roots, from a tool call",
    rootsFromPrompt: "Roots, from a prompt",
    rootsFromResource: "Roots, from reading a resource",
    rounds: "Several rounds of input, with state between them",
    manyAtOnce: "Several requests at once",
    progressAfterQuestion: "Progress after the client has answered",
    rootsChanged: "`roots/list_changed` from the client",
    sharedRefused: "Two clients share a connection: an ambiguous request is refused, with advice",
    sharedIsolated:
      'Two clients with `"isolation": "session"`: each gets the requests of its own calls',
  },
  Tasks: {
    legacyTask: "Tasks (2025-11-25): start, get, result",
    legacyTaskList: "Tasks (2025-11-25): list and cancel",
    modernTask: "Tasks extension: start, get, update, result",
    modernTaskCancel: "Tasks extension: cancel",
  },
  Extensions: {
    customMethod: "Custom methods of the server",
    customFromServer: "Custom notifications from the server",
    customFromClient: "Custom notifications from the client",
  },
  "Modern era": {
    discover: "`server/discover`",
    resultType: "`resultType` in every result",
    cacheHints: "`ttlMs` and `cacheScope`",
    listen: "`subscriptions/listen`: acknowledged first; every notification has its id",
    listenHonoured: "The acknowledgement lists exactly what will be sent",
    unknownVersion: "An unsupported version is refused with a list of supported ones",
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
