import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const ClientsTask = Type.Object({
  port: Type.Integer(),
  clients: Type.Integer(),
  /** Each client subscribes to one of them, in turn, from its first event; if empty, the server sends unasked. */
  channels: Type.Array(Type.String()),
  /** A client is whole once it has the events 1 to this number. */
  through: Type.Integer(),
});
/** The argument of `storm-clients-process.ts`. */
export type ClientsTask = Static<typeof ClientsTask>;
export const parseClientsTask = compileParser("task of the storm's clients", ClientsTask);

const PlainTask = Type.Object({ databaseUrl: Type.String(), sessionIds: Type.Array(Type.String()) });
/** The argument of `plain-frames-server.ts`. */
type PlainTask = Static<typeof PlainTask>;
export const parsePlainTask = compileParser("task of the plain server", PlainTask);

const ClientsReport = Type.Object({
  whole: Type.Integer(),
  /** When the last client was whole, by the machine's monotonic clock. */
  whole_at_ns: Type.Number(),
  events: Type.Integer(),
  bytes: Type.Integer(),
  /** Events that are not the next one of their client. */
  misplaced: Type.Integer(),
  /** Connections that the server or an error closed. */
  lost: Type.Integer(),
});
/** What the storm's clients have received. */
export type ClientsReport = Static<typeof ClientsReport>;
export const parseClientsReport = compileParser("report of the storm's clients", ClientsReport);
