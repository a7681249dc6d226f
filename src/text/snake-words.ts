/** The words of a name, separated by underscores: `apiKey`, `api-key` and `API key` have the same ones. */
export function snakeWords(name: string): string {
  return name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, "_")
    .replaceAll(/[^A-Za-z\d]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
}
