import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { readAccessConfig } from "#shared/access/access-config.ts";
import { secretVariable, type Environment } from "#shared/service/environment.ts";
import type { Ports } from "./choose-ports.ts";
import { writePrivateFile } from "./private-file.ts";
import type { ProjectPaths } from "./project-paths.ts";

type PrepareAccess = {
  readonly env: Environment;
  readonly paths: ProjectPaths;
  /** `--private`: only those who can read the token's file may use TARSy. */
  readonly isPrivate: boolean;
  readonly ports: Ports;
  /** The interface, BIND_ADDRESS. */
  readonly host: string;
};

/**
 * The variables that decide who may use api and notifier. Without a token of the user's own, creates one in files of mode 0600:
 * the token for programs, and the header for `curl -H @FILE`. In the mode `private` it lets in, in `loopback` its holder may decide
 * about tool calls.
 * @throws TerminalError naming the variable that is wrong, also if everybody on the network would be let in.
 */
export function prepareAccess({ env, paths, isPrivate, ports, host }: PrepareAccess): Environment {
  const mode = isPrivate ? { AUTH_MODE: "private" } : {};
  const settings = { BIND_ADDRESS: host, ...env, ...mode };
  const name = tokenVariable(settings.AUTH_MODE ?? "");
  const needsToken = name !== undefined && secretVariable(env, name) === "";
  const token = needsToken ? { [name]: keepToken(paths) } : {};
  const access = { ...mode, ...token, ALLOWED_ORIGINS: ownOrigins(env, ports) };
  readAccessConfig({ ...settings, ...access });
  return access;
}

/** The purpose of the token in this mode; undefined where there is none. */
export function tokenVariable(mode: string): "AUTH_TOKEN" | "APPROVAL_TOKEN" | undefined {
  if (mode === "private") return "AUTH_TOKEN";
  return mode === "" || mode === "loopback" ? "APPROVAL_TOKEN" : undefined;
}

/** The page of the api, which may also use the notifier at its own port. */
function ownOrigins(env: Environment, ports: Ports): string {
  const port = ports.get("API_PORT");
  const own = [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
  const configured = env["ALLOWED_ORIGINS"] ?? "";
  return [...own, ...(configured === "" ? [] : [configured])].join(",");
}

function keepToken({ token: path, header }: ProjectPaths): string {
  const known = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  const token = known === "" ? randomBytes(32).toString("base64url") : known;
  mkdirSync(dirname(path), { recursive: true });
  writePrivateFile(path, `${token}\n`);
  writePrivateFile(header, `Authorization: Bearer ${token}\n`);
  return token;
}
