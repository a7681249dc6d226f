/** Who a call is made for. Decides access; what a client claims about itself never does. */
export interface Principal {
  readonly kind: "stdio" | "owner" | "token" | "oauth" | "local";
  /** Unique among principals. */
  readonly id: string;
  readonly name: string;
  /** Set if several clients are this principal at the same time: distinguishes one of them. */
  readonly client?: string | undefined;
  /** The toolboxes it may use; all of them if undefined. */
  readonly toolboxes?: readonly string[] | undefined;
  /** The single servers it may use in addition, as `toolbox/server`. */
  readonly servers?: readonly string[] | undefined;
  readonly readOnly: boolean;
  /** Set if its user sees what waits for an approval anyway, so that no form of the client needs to ask. */
  readonly seesApprovals?: boolean | undefined;
}

/** The only client on standard input and output. */
export const STDIO_PRINCIPAL: Principal = {
  kind: "stdio",
  id: "stdio",
  name: "stdio",
  readOnly: false,
};
/** A client with the token that the workbench generated for its owner. */
export const OWNER_PRINCIPAL: Principal = {
  kind: "owner",
  id: "owner",
  name: "owner",
  readOnly: false,
};
/** The command line and the library: code that runs with the rights of the user. */
export const LOCAL_PRINCIPAL: Principal = {
  kind: "local",
  id: "local",
  name: "local",
  readOnly: false,
};
