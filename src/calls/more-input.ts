/** The input that a modern server asked for, as JSON. */
export interface MoreInput {
  readonly inputResponses: string;
  /** The state that has to be sent back to the server. */
  readonly requestState: string | undefined;
}
