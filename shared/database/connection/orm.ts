import type { DataSource, EntityManager } from "typeorm";
import { checkDatabase, type DatabaseOptions } from "#shared/database/connection/open-database.ts";
import type { Queryable } from "#shared/database/queryable.ts";

/**
 * Reads of whole rows, and of lists, with connections of their own. TypeORM is loaded and connected by the first read: it takes 50 ms of
 * CPU time and 8 MB, and an api that only accepts alerts needs neither. What fails to connect is tried again by the next read.
 */
export class Orm implements Queryable, AsyncDisposable {
  readonly #options: DatabaseOptions;
  #opening: Promise<DataSource> | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  /** Runs reads of one snapshot, in a transaction REPEATABLE READ. Throws database errors, and what `read` throws. */
  async snapshot<T>(read: (manager: EntityManager) => Promise<T>): Promise<T> {
    return (await this.#opened()).transaction("REPEATABLE READ", read);
  }

  /** Runs reads that need no common snapshot. Throws as `snapshot`. */
  async read<T>(read: (manager: EntityManager) => Promise<T>): Promise<T> {
    return read((await this.#opened()).manager);
  }

  async query(sql: string, parameters: unknown[] = []): Promise<unknown> {
    return (await this.#opened()).query(sql, parameters);
  }

  /** Rejects unless the database answers on these connections, once there are any. */
  async check(): Promise<void> {
    if (this.#opening !== undefined) await checkDatabase(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.destroy();
  }

  async #opened(): Promise<DataSource> {
    const opening = (this.#opening ??= openLater(this.#options));
    try {
      return await opening;
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }
}

async function openLater(options: DatabaseOptions): Promise<DataSource> {
  const { openOrm } = await import("./open-orm.ts");
  return openOrm(options);
}
