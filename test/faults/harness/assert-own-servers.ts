import { Type } from "typebox";
import { Client } from "pg";
import { connect } from "nats";
import { parseNatsAddress } from "#shared/bus/nats-address.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { BackingServers } from "../../support/backing-servers.ts";

const parseDirectory = compileParser("data directory", Type.Object({ data_directory: Type.String() }));

/**
 * Throws unless the servers at these addresses are the ones that this test started. Another server may have taken over a
 * port, and its tables must not be changed.
 */
export async function assertOwnServers({ postgres, nats, directory }: BackingServers): Promise<void> {
  const admin = new Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  try {
    const { rows }: { rows: unknown[] } = await admin.query("SHOW data_directory");
    const { data_directory: found } = parseDirectory(rows[0]);
    if (!found.startsWith(directory)) {
      throw new Error(`the Postgres at port ${postgres.port} has its data in ${found}, not in ${directory}`);
    }
  } finally {
    await admin.end();
  }
  const connection = await connect({ ...parseNatsAddress(nats.url), reconnect: false });
  const found = connection.info?.server_id;
  await connection.close();
  if (found !== nats.serverId) {
    throw new Error(`the NATS at port ${nats.port} has the id ${found}, not ${nats.serverId}`);
  }
}
