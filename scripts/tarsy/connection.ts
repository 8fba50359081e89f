import { ApiClient } from "#shared/client/api-client.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { accessHeaders } from "./terminal/access-token.ts";
import { UsageError, type CommandCall, type CommandOption } from "./command.ts";

/** The option of every command that asks the api. */
export const API_OPTION: Readonly<Record<string, CommandOption>> = {
  api: {
    value: "URL",
    help: "the api (TARSY_API_URL, default http://localhost:8080; API_PORT changes the port)",
  },
};

/** The option of the commands that follow a session. */
export const WS_OPTION: Readonly<Record<string, CommandOption>> = {
  ws: {
    value: "URL",
    help: "the notifier (TARSY_WS_URL, default ws://localhost:8081/ws; NOTIFIER_PORT changes the port)",
  },
};

export const JSON_OPTION: Readonly<Record<string, CommandOption>> = {
  json: { help: "prints JSON, for programs" },
};

type Addressed = Pick<CommandCall, "option" | "env">;

/** A client of the api that the options and the environment name, with the caller's credential. Throws UsageError. */
export function apiOf({ option, env }: Addressed): ApiClient {
  const given = option("api") ?? env["TARSY_API_URL"] ?? `http://localhost:${env["API_PORT"] ?? "8080"}`;
  const url = checkUrl("--api", given, /^https?:$/u, "http://localhost:8080").replace(/\/+$/u, "");
  return new ApiClient({ url, headers: accessHeaders(url, env) });
}

/** How to reach the notifier that the options and the environment name, with the caller's credential. Throws UsageError. */
export function notifierOf({ option, env }: Addressed) {
  const given = option("ws") ?? env["TARSY_WS_URL"] ?? `ws://localhost:${env["NOTIFIER_PORT"] ?? "8081"}/ws`;
  const url = checkUrl("--ws", given, /^wss?:$/u, "ws://localhost:8081/ws");
  const headers = accessHeaders(url, env);
  return { url, open: (address: string) => new WebSocket(address, { headers }) };
}

/** The session that the command line names. Throws UsageError. */
export function sessionOf({ positionals }: Pick<CommandCall, "positionals">): string {
  const [id] = positionals;
  if (id === undefined) throw new UsageError("no SESSION given: name the id of one");
  if (!isUuid(id)) {
    throw new UsageError(`"${id}" is not the id of a session: npm run tarsy -- list shows them`);
  }
  return id.toLowerCase();
}

function checkUrl(option: string, value: string, protocol: RegExp, example: string): string {
  const url = URL.parse(value);
  if (url === null || !protocol.test(url.protocol)) {
    throw new UsageError(`${option} is "${value}": it must be a URL such as ${example}`);
  }
  return value;
}
