import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Written by `npm start`. */
const OWN_TOKEN = join(import.meta.dirname, "..", "..", "..", ".tarsy", "token");
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * The headers that let a program in at `url`: with TARSY_TOKEN, the text of TARSY_TOKEN_FILE or, on this machine only, the
 * token of `npm start`. None if there is none. Throws an Error if the named file cannot be read.
 */
export function accessHeaders(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const token = env["TARSY_TOKEN"] ?? tokenIn(env["TARSY_TOKEN_FILE"] ?? ownToken(url));
  return token === undefined || token === "" ? {} : { authorization: `Bearer ${token}` };
}

function ownToken(url: string): string | undefined {
  const isHere = LOOPBACK.has(new URL(url).hostname);
  return isHere && existsSync(OWN_TOKEN) ? OWN_TOKEN : undefined;
}

function tokenIn(path: string | undefined): string | undefined {
  if (path === undefined || path === "") return undefined;
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new Error(`the token's file ${path} cannot be read: name another with TARSY_TOKEN_FILE`, {
      cause: error,
    });
  }
}
