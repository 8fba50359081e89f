import type { Pool, PoolClient } from "pg";
import type { PreparedStatements } from "#shared/database/connection/prepared-statements.ts";
import type { Queryable } from "#shared/database/queryable.ts";

interface DatabaseParts {
  readonly url: string;
  readonly pool: Pool;
  readonly statements: PreparedStatements;
}

/** A pool of connections to Postgres. Statements are prepared once per connection. */
export class Database implements Queryable, AsyncDisposable {
  readonly url: string;
  readonly #pool: Pool;
  readonly #statements: PreparedStatements;

  constructor({ url, pool, statements }: DatabaseParts) {
    this.url = url;
    this.#pool = pool;
    this.#statements = statements;
  }

  /** Connections that are open, of these idle, and statements that wait for one. */
  get load(): {
    readonly open: number;
    readonly idle: number;
    readonly waiting: number;
    readonly max: number;
  } {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { open, idle, waiting, max: this.#pool.options.max };
  }

  /** Runs one statement in a transaction of its own and resolves with its rows. */
  async query(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    const client = await this.#pool.connect();
    let isUseless = false;
    try {
      try {
        return await this.#run(client, sql, parameters);
      } catch (error) {
        if (!this.#statements.isRefused(error)) throw error;
        return await this.#run(client, sql, parameters);
      }
    } catch (error) {
      isUseless = isReadOnly(error);
      throw error;
    } finally {
      client.release(isUseless);
    }
  }

  /** Commits what `work` writes on one connection, or rolls back and rethrows its error. */
  async transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let isBroken = false;
    try {
      await client.query("BEGIN");
      const result = await work({ query: (sql, parameters = []) => this.#run(client, sql, parameters) });
      await client.query("COMMIT");
      return result;
    } catch (error) {
      this.#statements.isRefused(error);
      await client.query("ROLLBACK").catch(() => (isBroken = true));
      isBroken ||= isReadOnly(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }

  async #run(client: PoolClient, sql: string, parameters: unknown[]): Promise<unknown[]> {
    // A text without parameters may be several statements, which cannot be prepared.
    const name = parameters.length === 0 ? undefined : this.#statements.nameOf(sql);
    const result: { readonly rows: unknown[] } = await client.query({
      text: sql,
      values: parameters,
      ...(name === undefined ? {} : { name }),
    });
    return result.rows;
  }
}

/** The server has become a standby: the next connection may lead to the primary. */
function isReadOnly(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "25006";
}
