import { Type } from "typebox";
import { Client } from "pg";
import { connect } from "nats";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { BackingServers } from "../../support/backing-servers.ts";

const parseDirectory = compileParser("data directory", Type.Object({ data_directory: Type.String() }));

/**
 * Throws unless the servers behind the addresses are the ones that were started here: a port can come to belong to a
 * stranger's server, whose tables must not be touched.
 */
export async function assertOwnServers({ postgres, nats, directory }: BackingServers): Promise<void> {
  const admin = new Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  try {
    const { rows }: { rows: unknown[] } = await admin.query("SHOW data_directory");
    const { data_directory: found } = parseDirectory(rows[0]);
    if (!found.startsWith(directory)) {
      throw new Error(
        `the Postgres at port ${postgres.port} works in ${found}, not in ${directory}: not touched`,
      );
    }
  } finally {
    await admin.end();
  }
  const connection = await connect({ servers: nats.url, reconnect: false });
  const found = connection.info?.server_id;
  await connection.close();
  if (found !== nats.serverId) {
    throw new Error(`the NATS at port ${nats.port} is ${found}, not ${nats.serverId}: not touched`);
  }
}
