import type { ClientConfig } from "pg";
import { readTls, type Tls } from "#shared/database/connection/database-tls.ts";
import { TerminalError } from "#shared/errors.ts";

/** A server that accepts a connection and stays silent is given up after this long, unless the URL has a `connect_timeout`. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** Where a database is and how it is reached. */
export interface DatabaseAddress {
  /** For the driver. What is empty or absent it takes from libpq's variables, such as PGUSER. */
  readonly client: ClientConfig;
  /** To be tried in this order: `prefer` and `allow` have two. */
  readonly tls: readonly Tls[];
  readonly connectMs: number;
  /** The password is proven only to the holder of the server's certificate. */
  readonly bindsChannel: boolean;
  /** For messages; without credentials. */
  readonly place: string;
}

const PARTS =
  /^postgres(?:ql)?:\/\/(?:(?<userinfo>[^/?#]*)@)?(?<host>[^/?#@]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?(?<fragment>#.*)?$/isu;
const HOST = /^(?<name>\[[\da-f:.]+\]|[^:]*)(?::(?<port>\d{0,5}))?$/iu;
const ENCODE =
  "is not a valid URL; a password with any of @ : / ? # % and spaces must be percent-encoded (@ is %40, : is %3A, / is %2F, ? is %3F, # is %23, % is %25)";

/** The parameters of libpq that have an effect; each other one is refused by its name. */
const KNOWN = new Set([
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "application_name",
  "fallback_application_name",
  "options",
  "connect_timeout",
  "sslmode",
  "ssl",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "sslnegotiation",
  "channel_binding",
  "target_session_attrs",
  "client_encoding",
  "gssencmode",
]);

/** The values that mean what TARSy does anyway. */
const ONLY: Readonly<Record<string, { readonly allowed: readonly string[]; readonly why: string }>> = {
  target_session_attrs: {
    allowed: ["any", "read-write", "primary"],
    why: "TARSy writes, so the server must be the primary",
  },
  client_encoding: { allowed: ["utf8", "utf-8", "auto", "unicode"], why: "TARSy sends UTF-8" },
  gssencmode: { allowed: ["disable", "prefer"], why: "GSSAPI is not supported" },
  sslnegotiation: { allowed: ["postgres", "direct"], why: "libpq knows no other" },
  channel_binding: { allowed: ["disable", "prefer", "require"], why: "libpq knows no other" },
};

/**
 * Reads a URL as libpq does (PostgreSQL manual, "Connection URIs"), also with the directory of a socket as `host`. Returns what is
 * wrong with it as the end of a sentence, without a part of the value, which may hold a password. Reads the files of certificates.
 */
export function databaseAddress(given: string): DatabaseAddress | string {
  const text = given.trim();
  if (!/^postgres(?:ql)?:\/\//iu.test(text)) {
    return "is not a valid URL: it must start with postgres:// or postgresql://";
  }
  const groups = PARTS.exec(text)?.groups;
  const { database = "", fragment } = groups ?? {};
  if (groups === undefined || fragment !== undefined || database.includes("@")) return ENCODE;
  try {
    return addressOf(groups);
  } catch (error) {
    // decodeURIComponent refuses a "%" that no two digits follow.
    if (error instanceof URIError) return ENCODE;
    throw error;
  }
}

function addressOf(parts: Readonly<Record<string, string | undefined>>): DatabaseAddress | string {
  const { userinfo = "", host: authority = "", database = "", query = "" } = parts;
  const parameters = readParameters(query);
  if (typeof parameters === "string") return parameters;
  const server = readServer(authority, parameters);
  if (typeof server === "string") return server;
  const tls = readTls(parameters, { isSocket: server.host.startsWith("/") });
  if (typeof tls === "string") return tls;
  const connectMs = readConnectTimeout(parameters["connect_timeout"]);
  if (typeof connectMs === "string") return connectMs;
  const binding = parameters["channel_binding"];
  if (binding === "require" && tls.some((one) => one === false || one === undefined)) {
    return "has channel_binding=require, which needs TLS: add sslmode=require";
  }
  const [user = "", ...password] = userinfo.split(":");
  return {
    client: {
      database: decodeURIComponent(database),
      host: server.host,
      port: server.port,
      enableChannelBinding: binding === "require" || binding === "prefer",
      ...credentials(decodeURIComponent(user), decodeURIComponent(password.join(":")), parameters),
    },
    tls,
    connectMs,
    bindsChannel: binding === "require",
    place: placeOf(server),
  };
}

/** The parameters that go before the parts of the URL, and those that have no other place. */
function credentials(
  user: string,
  password: string,
  parameters: Readonly<Record<string, string>>,
): ClientConfig {
  const { application_name: name, dbname, options, sslnegotiation } = parameters;
  return {
    user: parameters["user"] ?? user,
    password: parameters["password"] ?? password,
    options,
    sslnegotiation: sslnegotiation === "direct" ? "direct" : undefined,
    ...(dbname === undefined ? {} : { database: dbname }),
    ...(name === undefined ? {} : { application_name: name }),
  };
}

/** The same for a value that was checked before. Throws TerminalError. */
export function requireDatabaseAddress(url: string): DatabaseAddress {
  const address = databaseAddress(url);
  if (typeof address !== "string") return address;
  throw new TerminalError("invalid_environment", `the database's URL ${address}`);
}

function readParameters(query: string): Readonly<Record<string, string>> | string {
  const read: Record<string, string> = {};
  for (const part of query.split("&").filter((one) => one !== "")) {
    const equals = part.indexOf("=");
    const name = part.slice(0, equals === -1 ? undefined : equals);
    if (equals === -1 || !/^\w+$/u.test(name)) return ENCODE;
    if (!KNOWN.has(name)) {
      return `has the parameter ${name.slice(0, 50)}, which is not supported: remove it; supported are ${[...KNOWN].join(", ")}`;
    }
    const value = decodeURIComponent(part.slice(equals + 1));
    const rule = ONLY[name];
    if (rule !== undefined && !rule.allowed.includes(value.toLowerCase())) {
      return `has a ${name} that is not supported: it may be ${rule.allowed.join(", ")}; ${rule.why}`;
    }
    read[name] = value;
  }
  return read;
}

interface Server {
  readonly host: string;
  readonly port?: number;
}

function readServer(authority: string, parameters: Readonly<Record<string, string>>): Server | string {
  const given = parameters["host"] ?? authority;
  if (given.includes(",") || (parameters["port"] ?? "").includes(",")) {
    return "names several hosts, among which TARSy does not look for the primary: name one address that always leads to it, such as that of a service, a proxy or a pooler";
  }
  const { name = "", port = "" } = HOST.exec(authority)?.groups ?? {};
  if (!HOST.test(authority)) return ENCODE;
  const host = parameters["host"] ?? decodeURIComponent(name).replace(/^\[(?<inner>.*)\]$/u, "$<inner>");
  const number = Number(parameters["port"] ?? port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535) return ENCODE;
  return number === 0 ? { host } : { host, port: number };
}

function placeOf({ host, port }: Server): string {
  if (host.startsWith("/")) return `${host} (port ${port ?? 5_432})`;
  const name = host === "" ? "localhost" : host;
  return `${name.includes(":") ? `[${name}]` : name}:${port ?? 5_432}`;
}

/** In milliseconds. libpq's 0 means without a limit: then that of TARSy stays, which finds silent servers. */
function readConnectTimeout(text: string | undefined): number | string {
  if (text === undefined) return CONNECT_TIMEOUT_MS;
  const seconds = Number(text);
  if (!/^-?\d+$/u.test(text) || seconds > 600) {
    return "has a connect_timeout that is not a whole number of seconds up to 600";
  }
  return seconds <= 0 ? CONNECT_TIMEOUT_MS : Math.max(2, seconds) * 1_000;
}
