import { readFile } from "node:fs/promises";
import { GoogleAuth, PassThroughClient, type AuthClient } from "google-auth-library";
import type { Environment } from "#shared/environment.ts";
import { errorMessage, type RetryableError, type TerminalError } from "#shared/errors.ts";
import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { isObject, parseJsonObject } from "../../parse-json.ts";
import { credential } from "../credential.ts";
import { retryable, terminal } from "../../errors/llm-error.ts";

/** Who calls Google Cloud. */
export interface GoogleCredentials {
  readonly authClient: AuthClient;
  /** What of it must never be repeated. */
  readonly secrets: readonly string[];
}

/** Hands out who a call's settings say it is. Throws TerminalError `credentials`, or RetryableError `provider_error`. */
export type FindCredentials = (
  config: Pick<LLMConfig, "credentialsEnv" | "baseUrl">,
) => Promise<GoogleCredentials>;

const SCOPES = ["https://www.googleapis.com/auth/cloud-platform"];
const SECRET_KEYS = ["private_key", "private_key_id", "client_secret", "refresh_token"];
const MAX_CLIENTS = 32;

/**
 * Finds credentials by the variable a call names, which holds a credentials file's path or its text; without one, those
 * of the machine, or none at all for a server of one's own. They are kept by their text, so that a file that was
 * replaced counts at once, and a token is fetched before the call, so that what is wrong with it is told as such.
 */
export function googleCredentials(env: Environment): FindCredentials {
  const known = new Map<string, GoogleCredentials>();
  return async ({ credentialsEnv: name, baseUrl }) => {
    if (name === "" && baseUrl !== "") return { authClient: new PassThroughClient(), secrets: [] };
    const text = name === "" ? "" : await credentialsText(name, env);
    try {
      const found = known.get(text) ?? (await openCredentials(text));
      known.delete(text);
      known.set(text, found);
      const [oldest] = known.keys();
      if (known.size > MAX_CLIENTS && oldest !== undefined) known.delete(oldest);
      await found.authClient.getRequestHeaders();
      return found;
    } catch (error) {
      throw credentialsError(error, name);
    }
  };
}

async function credentialsText(name: string, env: Environment): Promise<string> {
  const value = credential(name, env);
  if (value.startsWith("{")) return value;
  try {
    return await readFile(value, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw terminal(
      "credentials",
      `the file that environment variable ${name} names cannot be read (${code}): it must hold Google credentials`,
      { cause: error },
    );
  }
}

async function openCredentials(text: string): Promise<GoogleCredentials> {
  if (text === "") return { authClient: await new GoogleAuth({ scopes: SCOPES }).getClient(), secrets: [] };
  const credentials = parseJsonObject(text);
  if (credentials === undefined) throw terminal("credentials", "they are no JSON object");
  const auth = new GoogleAuth({ scopes: SCOPES, credentials });
  // A service account signs for itself what it would otherwise have to fetch first.
  auth.useJWTAccessWithScope = true;
  const secrets = SECRET_KEYS.map((key) => credentials[key]).filter((value) => typeof value === "string");
  return { authClient: await auth.getClient(), secrets };
}

/** A missing network can come back; everything else is in the credentials. */
function credentialsError(error: unknown, name: string): TerminalError | RetryableError {
  const what =
    name === "" ? "this machine has no Google credentials" : `the credentials in ${name} cannot be used`;
  const response = isObject(error) || error instanceof Error ? Object.entries(error) : [];
  const isNetwork = response.some(([key, value]) => key === "code" && /^E[A-Z]+$/u.test(String(value)));
  if (isNetwork) {
    return retryable("provider_error", "Google's sign-in cannot be reached", { cause: error });
  }
  return terminal("credentials", `${what}: ${errorMessage(error).slice(0, 200)}`, { cause: error });
}
