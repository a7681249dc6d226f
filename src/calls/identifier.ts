/** Identifies one server among all toolboxes. Not an interface, so that it can be logged. */
export type ServerRef = {
  /** The toolbox that holds the server. */
  readonly toolbox: string;
  readonly server: string;
};

/** Identifies one tool among all toolboxes. */
export interface ToolIdentifier {
  /** The toolbox that holds the server. */
  readonly toolbox: string;
  /** The server that provides the tool. */
  readonly server: string;
  /** The tool's own name on its server. */
  readonly name: string;
}
