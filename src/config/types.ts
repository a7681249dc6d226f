/** The configuration as the rest of the program sees it: expanded, validated, defaults applied. */

export type ToolMode = "proxy" | "dynamic";
export type Protocol = "auto" | "2025-11-25" | "2026-07-28";
export type Isolation = "shared" | "capabilities" | "session";
/** When a server may ask the client for elicitation or sampling. */
export type Questions = "duringCalls" | "always" | "off";

export interface Timeouts {
  readonly connectMs: number;
  readonly callMs: number;
  readonly totalMs: number;
  readonly idleMs: number;
  readonly shutdownMs: number;
}

export interface Limits {
  readonly messageBytes: number;
  readonly concurrency: number;
  readonly queue: number;
  readonly tools: number;
  readonly pages: number;
}

/** A limit on how often a client may call. */
export interface RateLimit {
  readonly clients?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly calls: number;
  readonly perMs: number;
  readonly burst?: number | undefined;
}

/** The setting `sandbox` of a server, with absolute paths. */
export interface SandboxSettings {
  readonly kind: "bwrap" | "docker" | "command";
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: boolean;
  readonly required: boolean;
  readonly image?: string | undefined;
  readonly command?: readonly string[] | undefined;
  /** The configuration and its secrets, which the server must not reach. */
  readonly protect: readonly string[];
}

export interface StdioTransport {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A file with more variables, read when the server is started. */
  readonly envFile?: string | undefined;
  readonly cwd: string | undefined;
  readonly sandbox?: SandboxSettings | undefined;
}

/** How the tokens of sign-ins are protected on disk. */
export type CredentialMode = "auto" | "keychain" | "file";

/** One of the users who each sign in to a server. */
export interface SignInUser {
  /** Unique among all users there ever were: the id of a principal, or that of the owner. */
  readonly id: string;
  /** For people; others may have the same. */
  readonly name: string;
}

/** The setting `oauth` of a remote server, with defaults applied. */
export interface OAuthSettings {
  /** The name that the user gave the account; "default" if there is only one. */
  readonly account: string;
  /** Whose sign-in it is, if each user has their own (`"credentials": "perUser"`). */
  readonly user?: SignInUser | undefined;
  readonly grant: "authorization_code" | "device_code" | "client_credentials";
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly clientAuth?:
    | "none"
    | "client_secret_basic"
    | "client_secret_post"
    | "private_key_jwt"
    | undefined;
  /** For `private_key_jwt`: PKCS #8 in PEM, or a JSON Web Key as JSON text. */
  readonly privateKey?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** The only authorization server to use, exactly as it names itself. */
  readonly issuer?: string | undefined;
  readonly redirectUri?: string | undefined;
  readonly authorizationParams?: Readonly<Record<string, string>> | undefined;
  /** The resource indicator to send; `false` sends none. */
  readonly resource?: string | false | undefined;
  /** The address of a client metadata document (CIMD). */
  readonly clientMetadataUrl?: string | undefined;
}

export interface RemoteTransport {
  /** `http` is Streamable HTTP, `sse` is HTTP+SSE; `auto` tries Streamable HTTP first. */
  readonly kind: "http" | "sse" | "auto";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How to sign in if the server asks for it; undefined if the workbench must not. */
  readonly oauth?: OAuthSettings | undefined;
}

/** Saved scripts, which run in the workbench itself. */
export interface ScriptsTransport {
  readonly kind: "scripts";
  readonly folder: string;
}

/** The setting `audit`. */
export interface AuditSettings {
  /** Undefined: it depends on how the workbench is served. */
  readonly enabled?: boolean | undefined;
  readonly arguments: "none" | "shape" | "hash" | "redacted";
  /** Whether calls are refused while the log cannot be written. */
  readonly required: boolean;
  readonly retainDays: number;
}

/** The setting `results`. */
export interface ResultSettings {
  /** Which results are stored: none, those that the client truncates, or those with more characters. */
  readonly limit: "client" | "off" | number;
  readonly maxBytes: number;
  readonly totalBytes: number;
  readonly idleMs: number;
}

/** The setting `scripts`. */
export interface ScriptSettings {
  /** Undefined: it depends on how the workbench is served. */
  readonly enabled?: boolean | undefined;
  readonly memoryMb: number;
  /** The time that a script may compute, without waiting for calls. */
  readonly cpuMs: number;
  readonly totalMs: number;
  readonly calls: number;
  readonly parallel: number;
  readonly outputChars: number;
  readonly sourceBytes: number;
}

/** A program that prints a secret. */
export interface SecretCommand {
  /** The program and its arguments; no shell is used. */
  readonly command: readonly string[];
  readonly timeoutMs: number;
  /** How long its output is used before it runs again. */
  readonly cacheMs: number;
  /** Names of additional variables that it inherits from the workbench's environment. */
  readonly inheritEnv: readonly string[];
  readonly cwd: string;
}

/** A secret that a server gets when it is started, and where its value comes from. */
export type SecretReference = (
  | { readonly kind: "keychain"; readonly name: string }
  /** `within`: the file must be in this folder, because the configuration is not the user's own. */
  | { readonly kind: "file"; readonly path: string; readonly within?: string | undefined }
  | { readonly kind: "command"; readonly name: string; readonly run: SecretCommand }
) & {
  /** The value if there is no such secret. */
  readonly fallback?: string | undefined;
};

/** A text in the transport of a server that refers to secrets, in parts. */
export interface SecretText {
  /** Where it is in the transport, such as `["env", "API_KEY"]`. */
  readonly at: readonly (string | number)[];
  readonly parts: readonly (string | SecretReference)[];
}

/** How dangerous a tool is. */
export type ToolClassName = "read" | "write" | "destructive";
/** What happens if a definition differs from what was approved. */
export type PinMode = "off" | "warn" | "enforce";
export type PolicyAction = "allow" | "ask" | "deny";

/** A rule about calls. It matches if everything that it mentions does. */
export interface PolicyRule {
  /** Globs for `server/tool`. */
  readonly tools?: readonly string[] | undefined;
  readonly class?: readonly ToolClassName[] | undefined;
  readonly openWorld?: boolean | undefined;
  /** Globs by dotted path. */
  readonly arguments?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Names of principals. */
  readonly clients?: readonly string[] | undefined;
  readonly action: PolicyAction;
  readonly reason?: string | undefined;
}

/** The setting `policy` of one level. */
export interface PolicySettings {
  readonly readOnly: boolean;
  readonly rules: readonly PolicyRule[];
  readonly default: PolicyAction;
}

export interface ToolOverride {
  readonly name?: string;
  readonly description?: string;
  readonly hidden?: boolean;
  /** Fixed arguments that the agent neither sees nor can change. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly class?: ToolClassName;
}

/** What a server inherits from the client it is started for, if that is not the workbench itself. */
export interface Inherited {
  /** Where it runs if it has no folder of its own. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface ServerSettings {
  readonly toolbox: string;
  readonly name: string;
  /** References to secrets are in it as they are written; `secretTexts` says where. */
  readonly transport: StdioTransport | RemoteTransport | ScriptsTransport;
  readonly secretTexts: readonly SecretText[];
  readonly toolFilters: readonly string[];
  readonly overrides: Readonly<Record<string, ToolOverride>>;
  /** Whether to believe what the server states about the effects of its tools. */
  readonly annotations: "trust" | "ignore";
  readonly policy?: PolicySettings | undefined;
  readonly timeouts: Timeouts;
  readonly limits: Limits;
  readonly protocol: Protocol;
  readonly isolation: Isolation;
  readonly questions: Questions;
  /** Set if only one replica of a cluster may start it. */
  readonly placement?: "one" | undefined;
  /** Names of additional variables that the server inherits from the workbench's environment. */
  readonly inheritEnv: readonly string[];
  /** Undefined if it inherits the folder and the environment of this process. */
  readonly inherited?: Inherited | undefined;
  readonly disabled: boolean;
  /** Why the server cannot be started as configured, for example because a variable is not set. */
  readonly unavailable: string | undefined;
}

export interface ToolboxSettings {
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly policy?: PolicySettings | undefined;
  readonly servers: ReadonlyMap<string, ServerSettings>;
}

/** A file that defines variables for the references of a configuration. */
export interface EnvFile {
  readonly file: string;
  /** Whether it may be a symbolic link. */
  readonly links: "follow" | "refuse";
  /** Its text when it was read; undefined if it did not exist. */
  readonly text: string | undefined;
}

/** A registry of servers. Its token is read when it is needed. */
export interface RegistrySettings {
  readonly url: string;
  readonly token?: string | undefined;
  /** The token, if it refers to secrets. */
  readonly secretTexts: readonly SecretText[];
}

/** What a scope of an identity provider allows; everything if neither list is given. */
export interface ScopeGrant {
  readonly toolboxes?: readonly string[] | undefined;
  /** As `toolbox/server`. */
  readonly servers?: readonly string[] | undefined;
  readonly readOnly: boolean;
  /** What clients ask for to get it; the scope itself if undefined. */
  readonly request?: readonly string[] | undefined;
}

/** An identity provider whose users may use the workbench over HTTP. */
export interface IdentityProvider {
  readonly issuer: string;
  /** The address that clients use, without a path. */
  readonly resource: string;
  readonly audiences: readonly string[];
  readonly scopes: Readonly<Record<string, ScopeGrant>>;
  readonly algorithms: readonly string[];
  readonly jwksUri?: string | undefined;
  readonly claims: {
    readonly scope?: string | undefined;
    readonly subject: string;
    readonly name?: string | undefined;
  };
}

/** The files of a certificate. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export interface HttpSettings {
  readonly sessions: number;
  readonly sessionIdleMs: number;
  readonly bodyBytes: number;
  /** Where browsers of users reach the workbench, without a path. */
  readonly publicUrl?: string | undefined;
  readonly oauth?: IdentityProvider | undefined;
  readonly tls?: CertificateFiles | undefined;
}

/** Several workbenches that serve the same clients. */
export interface ClusterSettings {
  readonly redis: string;
  /** Where the other replicas reach this one. */
  readonly advertise: string;
  /** 32 bytes each, in base64. The first seals, all open. */
  readonly keys: readonly string[];
  /** Distinguishes clusters that use the same Redis. */
  readonly name: string;
  readonly drainMs: number;
}

export interface WorkbenchSettings {
  /** The file it was read from; undefined for a configuration given as an object. */
  readonly file: string | undefined;
  /** The files that were read for its variables; empty if it refers to none. */
  readonly envFiles: readonly EnvFile[];
  readonly toolMode: ToolMode;
  readonly toolboxes: ReadonlyMap<string, ToolboxSettings>;
  readonly policy?: PolicySettings | undefined;
  /** Whether agents get `read_tool`; `auto` if it can call anything. */
  readonly readTool: "auto" | boolean;
  readonly approvals: { readonly waitMs: number };
  /** Limits for messages from clients. */
  readonly limits: Limits;
  readonly rateLimits: readonly RateLimit[];
  readonly http: HttpSettings;
  readonly cluster?: ClusterSettings | undefined;
  /** The process that clients share. */
  readonly shared: { readonly idleMs: number };
  readonly log: {
    readonly level: "debug" | "info" | "warn" | "error" | "silent";
    readonly format: "text" | "json";
    readonly file: string | undefined;
  };
  readonly audit: AuditSettings;
  readonly results: ResultSettings;
  readonly scripts: ScriptSettings;
  readonly credentials: CredentialMode;
  /** Undefined: `warn` if there is a lock file. */
  readonly pins?: PinMode | undefined;
  /** Undefined: the official one. */
  readonly registry?: RegistrySettings | undefined;
  readonly discovery: "eager" | "lazy" | "off";
  /** Whether tokens that were saved and spent are counted. */
  readonly countTokens: boolean;
  /** Whether searches learn from the tools that are used after them. */
  readonly learnFromUse: boolean;
  readonly dashboard: { readonly payloads: boolean };
  /** Above this many tokens, an `open_toolbox` result starts with how to get a shorter one. */
  readonly openBudgetTokens: number;
  /** Values that must never appear in a log or an error, or reach another server. */
  readonly secrets: readonly string[];
  /** Problems that do not prevent the workbench from serving, with their location. */
  readonly warnings: readonly string[];
}
