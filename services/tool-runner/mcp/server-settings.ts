import type { AcceptedDefinitions, ServerToolRules } from "#shared/agent-config/tool-rules.ts";

/** The way in which this runner gets tokens for a server from its authorization server (OAuth 2, grant `client_credentials`). */
export interface Auth {
  readonly type: "client_credentials" | "private_key_jwt";
  readonly clientId: string;
  /** The secret, or the private key as PEM. */
  readonly secret: string;
  /** The credentials are sent to this authorization server only. */
  readonly issuer: string;
  readonly scope?: string;
  /** The algorithm of the key; ES256, RS256 and so on. */
  readonly algorithm?: string;
}

/** The way in which a person lets this installation use a server (OAuth 2.1 with PKCE). */
export interface OAuth {
  readonly type: "oauth";
  /** Absent: this installation registers itself. */
  readonly clientId?: string;
  readonly secret?: string;
  /** Absent: the server itself. */
  readonly issuer?: string;
  readonly scope?: string;
}

export interface StdioSettings {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Set for the process beside the few variables that every server gets. */
  readonly env: Readonly<Record<string, string>>;
}

export interface HttpSettings {
  readonly type: "http" | "sse";
  readonly url: URL;
  /** `{{.SESSION_ID}}` in a value is the execution's id; a header whose value becomes empty is not sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bearerToken?: string;
  readonly verifySsl: boolean;
  /** PEM. */
  readonly ca?: string;
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** Gets a DELETE when an execution ends; may contain `{{.SESSION_ID}}`. */
  readonly sessionCleanupUrl?: string;
  readonly auth?: Auth | OAuth;
}

/** The executions that share a connection: by all executions of this runner, by the calls of one execution, or not at all. */
export type Isolation = "shared" | "execution" | "call";

/** A configured MCP server with all variables inserted, which only the tool-runner does. */
export interface ServerSettings {
  readonly id: string;
  readonly transport: StdioSettings | HttpSettings;
  readonly protocol: "auto" | "legacy" | "modern";
  /** Absent: `shared` for a stateless server (revision 2026-07-28), else `execution`. */
  readonly isolation?: Isolation;
  readonly tools: ServerToolRules;
  /**
   * The hashes by which each tool of a pack was accepted, by its name: no other tool and no other definition is offered or called.
   * Absent for a server without a pack.
   */
  readonly accepted?: AcceptedDefinitions;
  readonly trustAnnotations: boolean;
  readonly connectTimeoutMs: number;
  /** The limit without a sign of life from the tool; progress starts it again. */
  readonly callTimeoutMs: number;
  /** A connection without calls is closed after this long. */
  readonly idleTimeoutMs: number;
  /** Calls at a time. */
  readonly maxConcurrent: number;
  readonly maxResultBytes: number;
}

/** The settings of a server that sets none. */
export const DEFAULT_SETTINGS = {
  protocol: "auto",
  tools: { deny: [], read_only: [], idempotent: [], write: [], destructive: [], approve: [] },
  trustAnnotations: false,
  connectTimeoutMs: 30_000,
  callTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  maxConcurrent: 8,
  maxResultBytes: 16 * 1024 * 1024,
} as const satisfies Partial<ServerSettings>;
