import { pino } from "pino";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { openBus } from "#shared/bus/open-bus.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { BackingServers } from "./backing-servers.ts";
import type { TarsySystem } from "./tarsy-system.ts";

const parseName = compileParser("table", Type.Object({ name: Type.String() }));
const parseContent = compileParser("row", Type.Object({ content: Type.String() }));

/** Subject, text and headers of every message on the bus from now on. */
export async function listenToAll(
  { nats }: BackingServers,
  resources: AsyncDisposableStack,
): Promise<readonly string[]> {
  const log = pino({ level: "silent" });
  const { signal } = new AbortController();
  const bus = resources.use(await openBus({ url: nats.url, name: "listener", log, signal }));
  const heard: string[] = [];
  const everything = bus.connection.subscribe(">");
  void (async () => {
    for await (const message of everything) {
      heard.push(`${message.subject} ${message.string()} ${[...(message.headers ?? [])].flat(2).join(" ")}`);
    }
  })();
  await bus.flush();
  return heard;
}

/** What the rows of each table have, by the table's name. */
export async function tableTexts(servers: BackingServers): Promise<readonly (readonly [string, string])[]> {
  const tables = await servers.query(
    "SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    [],
  );
  return Promise.all(
    tables.map(async (table) => {
      const { name } = parseName(table);
      const rows = await servers.query(`SELECT t::text AS content FROM ${name} t`, []);
      return [name, rows.map((row) => parseContent(row).content).join("\n")] as const;
    }),
  );
}

/** The metrics of each service, by its name. */
export async function metricTexts(system: TarsySystem): Promise<readonly (readonly [string, string])[]> {
  return Promise.all(
    system.running().map(async ({ name, healthPort }) => {
      const response = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
      return [name, await response.text()] as const;
    }),
  );
}
