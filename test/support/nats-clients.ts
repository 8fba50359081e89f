import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const Client = Type.Object({ cid: Type.Integer(), name: Type.Optional(Type.String()) });
const parseConnz = compileParser(
  "NATS connz",
  Type.Object({ total: Type.Integer(), connections: Type.Array(Client) }),
);
const MAX_CLIENTS = 1_024;

/** An open connection as the server sees it. Its number is never used again; a client without a name did not log in. */
export type NatsClient = Static<typeof Client>;

/** The open client connections of the server whose monitoring is on this port. */
export async function natsClients(monitorPort: number): Promise<NatsClient[]> {
  const response = await fetch(`http://127.0.0.1:${monitorPort}/connz?limit=${MAX_CLIENTS}`);
  const { total, connections } = parseConnz(await response.json());
  if (total > MAX_CLIENTS) throw new Error(`${total} connections are more than this lists`);
  return connections;
}
