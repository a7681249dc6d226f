// The answers of the benchmark's servers. Each is made with as little work as possible, so that the
// time of a call is the time of the round trip.

const TOOLS_OF_USE = [
  { name: "echo", description: "Says what it is told.", properties: { text: { type: "string" } } },
  { name: "blob", description: "A text of this size.", properties: { bytes: { type: "integer" } } },
  { name: "sink", description: "How long a text is.", properties: { data: { type: "string" } } },
];

/** The requested number of tools: those that are called, and others as ballast. */
function toolList(count) {
  const tools = TOOLS_OF_USE.map(({ name, description, properties }) => ({
    name,
    description,
    inputSchema: { type: "object", properties },
  }));
  for (let i = tools.length; i < count; i++)
    tools.push({
      name: `record_${i}_update`,
      description: `Updates record ${i} and returns what it was before the change.`,
      inputSchema: {
        type: "object",
        properties: { key: { type: "string" }, value: { type: "string" } },
        required: ["key"],
      },
    });
  return tools;
}

/** Returns the text of a result for each method; undefined if no answer is needed. */
export function answerer(toolCount) {
  const blobs = new Map();
  const textResult = (text) => `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;
  const initialized = JSON.stringify({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "bench-fixture", version: "1" },
  });
  const listed = JSON.stringify({ tools: toolList(toolCount) });

  function blob(bytes) {
    if (!blobs.has(bytes)) blobs.set(bytes, textResult(filler(bytes)));
    return blobs.get(bytes);
  }

  function call({ name, arguments: given }) {
    if (name === "echo") return textResult(given.text);
    if (name === "blob") return blob(given.bytes);
    if (name === "sink") return textResult(String(given.data.length));
    return textResult(`ran ${name}`);
  }

  return ({ method, params }) => {
    if (method === "tools/call") return call(params);
    if (method === "tools/list") return listed;
    if (method === "initialize") return initialized;
    if (method === "ping") return "{}";
    return undefined;
  };
}

/** Text with line breaks and quotation marks, like files and web pages. */
function filler(bytes) {
  const line = 'The quick brown fox said "hello" to the lazy dog, and went on its way.\n';
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}
