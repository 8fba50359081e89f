/** The columns of a new session, all Postgres-safe; `mcpSelection`, `resolvedConfig` and `metadata` are JSON text. */
export interface NewSession {
  readonly sessionId: string;
  readonly data: string;
  readonly alertType: string;
  readonly author: string;
  readonly runbook: string | null;
  readonly mcpSelection: string | null;
  readonly chainId: string;
  readonly resolvedConfig: string;
  readonly configHash: string;
  readonly metadata: string | null;
}
