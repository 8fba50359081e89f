/** Runs SQL: a database, a transaction of one, or an entity manager. */
export interface Queryable {
  /** Resolves with the rows of a statement that returns rows. */
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}
