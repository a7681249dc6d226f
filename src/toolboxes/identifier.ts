/** Identifies one tool among all toolboxes. */
export interface ToolIdentifier {
  /** The toolbox that holds the server. */
  readonly toolbox: string;
  /** The server that provides the tool. */
  readonly server: string;
  /** The tool's own name on its server. */
  readonly name: string;
}
