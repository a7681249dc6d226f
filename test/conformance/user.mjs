/** The user and the model behind the driver: they accept everything. */

/** The answer to a server's request to the client. */
export function answer({ method, params }) {
  switch (method) {
    case "elicitation/create":
      return { action: "accept", content: argumentsFor(params.requestedSchema) };
    case "sampling/createMessage":
      return { role: "assistant", content: { type: "text", text: "Yes" }, model: "none" };
    case "roots/list":
      return { roots: [{ uri: "file:///conformance" }] };
    case "ping":
      return {};
    default:
      throw new Error(`No answer for ${method}`);
  }
}

/** One value for each property of a schema: its default if it has one. */
export function argumentsFor({ properties = {} }) {
  return Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, schema.default ?? valueOf(schema)]),
  );
}

function valueOf({ type, enum: choices }) {
  if (choices) return choices[0];
  switch (type) {
    case "boolean":
      return true;
    case "number":
    case "integer":
      return 1;
    case "array":
      return [];
    case "object":
      return {};
    case "null":
      return null;
    default:
      return "text";
  }
}
