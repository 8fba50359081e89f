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
    help: "the notifier (TARSY_WS_URL, default ws://localhost:8081/ws; NOTIFIER_PORT changes the port; else, or beside --api first, /ws of the api)",
  },
};

export const JSON_OPTION: Readonly<Record<string, CommandOption>> = {
  json: { help: "prints JSON, for programs" },
};

type Addressed = Pick<CommandCall, "option" | "env">;

/** A client of the api that the options and the environment name, with the caller's credential. Throws UsageError. */
export function apiOf(call: Addressed): ApiClient {
  const url = apiUrlOf(call);
  return new ApiClient({ url, headers: accessHeaders(url, call.env) });
}

function apiUrlOf({ option, env }: Addressed): string {
  const given = option("api") ?? env["TARSY_API_URL"] ?? `http://localhost:${env["API_PORT"] ?? "8080"}`;
  return checkUrl("--api", given, /^https?:$/u, "http://localhost:8080").replace(/\/+$/u, "");
}

/**
 * The notifier that the options and the environment name, with the caller's credential. Where no option names one, the api's own
 * address is the other choice: it forwards sockets, and behind a proxy both have one. It comes first if an api is named and no
 * notifier, because the default port may be another system's. Throws UsageError.
 */
export function notifierOf({ option, env }: Addressed): Notifier {
  const given = option("ws");
  const named = given ?? env["TARSY_WS_URL"];
  const configured = named ?? `ws://localhost:${env["NOTIFIER_PORT"] ?? "8081"}/ws`;
  const url = checkUrl("--ws", configured, /^wss?:$/u, "ws://localhost:8081/ws");
  if (given !== undefined) return openNotifier([url], env);
  const besideApi = `${apiUrlOf({ option, env }).replace(/^http/u, "ws")}/ws`;
  const isApiNamed = (option("api") ?? env["TARSY_API_URL"] ?? env["API_PORT"]) !== undefined;
  const isNotifierNamed = (named ?? env["NOTIFIER_PORT"]) !== undefined;
  return openNotifier(isApiNamed && !isNotifierNamed ? [besideApi, url] : [url, besideApi], env);
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

/** Opens the socket of a session. */
interface Notifier {
  /** The addresses, for messages. */
  readonly url: string;
  /** Opens a connection to the address that worked last, else to the next one. */
  readonly open: () => WebSocket;
  /** No connection was opened so far, and there is an address that was not tried. */
  readonly isLooking: () => boolean;
}

/** A notifier at the first of these addresses that can be reached, with the caller's credential. */
function openNotifier(
  urls: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
): Notifier {
  let current = 0;
  let failed = 0;
  let wasOpen = false;
  return {
    url: urls.join(" and "),
    isLooking: () => !wasOpen && failed < urls.length,
    open: () => {
      const url = urls[current % urls.length] ?? urls[0];
      const socket = new WebSocket(url, { headers: accessHeaders(url, env) });
      let isOpen = false;
      socket.addEventListener("open", () => (isOpen = wasOpen = true));
      socket.addEventListener("error", () => {
        if (isOpen) return;
        failed += 1;
        current += 1;
      });
      return socket;
    },
  };
}
