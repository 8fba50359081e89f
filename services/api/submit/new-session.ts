/** The columns of a new session and its entry in the audit log, all Postgres-safe; `mcpSelection`, `resolvedConfig` and `metadata` are JSON text. */
export interface NewSession {
  readonly sessionId: string;
  readonly data: string;
  readonly alertType: string;
  readonly author: string;
  readonly owner: string | null;
  /** For the audit log: as authenticated, and from which address. */
  readonly submitter: { readonly subject: string; readonly via: string; readonly peer: string | null };
  readonly teams: readonly string[];
  readonly runbook: string | null;
  readonly mcpSelection: string | null;
  readonly chainId: string;
  readonly resolvedConfig: string;
  readonly configHash: string;
  readonly metadata: string | null;
}
