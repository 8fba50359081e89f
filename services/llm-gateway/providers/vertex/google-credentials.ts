import { readFile } from "node:fs/promises";
import { GoogleAuth, PassThroughClient, type AuthClient } from "google-auth-library";
import type { Environment } from "#shared/service/environment.ts";
import { errorMessage, type RetryableError, type TerminalError } from "#shared/errors.ts";
import { isObject } from "#shared/exact-json.ts";
import { retryable, terminal } from "../../errors/llm-error.ts";
import { WAIT_ESTIMATE_MS } from "../../errors/wait-estimate.ts";
import { parseJsonObject } from "../../parse-json.ts";
import { credential } from "../credential.ts";
import type { ProviderConfig } from "../provider-config.ts";

/** Credentials for calls to Google Cloud. */
interface GoogleCredentials {
  readonly authClient: AuthClient;
  /** Values to redact from messages. */
  readonly secrets: readonly string[];
}

/**
 * Returns the credentials for a call's settings. Throws TerminalError `credentials` or RetryableError `provider_error`.
 */
type FindCredentials = (
  config: Pick<ProviderConfig, "credentialsEnv" | "baseUrl">,
) => Promise<GoogleCredentials>;

const SCOPES = ["https://www.googleapis.com/auth/cloud-platform"];
const SECRET_KEYS = ["private_key", "private_key_id", "client_secret", "refresh_token"];
const MAX_CLIENTS = 32;

/**
 * Finds the credentials in the variable that a call names: the path of a credentials file, or its text. Without a
 * variable it uses those of the machine, or none if a base_url is set. Clients are cached by the credentials' text, so
 * a replaced file takes effect with the next call. The token is fetched here, so that its errors are reported as
 * `credentials`.
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
  // A service account can sign its token itself instead of fetching one.
  auth.useJWTAccessWithScope = true;
  const secrets = SECRET_KEYS.map((key) => credentials[key]).filter((value) => typeof value === "string");
  return { authClient: await auth.getClient(), secrets };
}

/** A network error is retryable; any other error is a fault of the credentials. */
function credentialsError(error: unknown, name: string): TerminalError | RetryableError {
  const what =
    name === "" ? "this machine has no Google credentials" : `the credentials in ${name} cannot be used`;
  const response = isObject(error) || error instanceof Error ? Object.entries(error) : [];
  const isNetwork = response.some(([key, value]) => key === "code" && /^E[A-Z]+$/u.test(String(value)));
  if (isNetwork) {
    return retryable("provider_error", "Google's sign-in cannot be reached", {
      cause: error,
      estimateMs: WAIT_ESTIMATE_MS.unreachable,
    });
  }
  return terminal("credentials", `${what}: ${errorMessage(error).slice(0, 200)}`, { cause: error });
}
