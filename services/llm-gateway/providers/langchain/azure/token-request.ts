import { readFile } from "node:fs/promises";
import type { Environment } from "#shared/service/environment.ts";
import { terminal } from "../../../errors/llm-error.ts";
import { credential } from "../../credential.ts";
import type { ProviderConfig } from "../../provider-config.ts";

/** One HTTP request for a token of Microsoft Entra ID. */
export interface TokenRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** A form; undefined for GET. */
  readonly body: string | undefined;
  /** Values to redact from messages. */
  readonly secrets: readonly string[];
}

/** Where a provider's tokens come from. Its JSON identifies it. */
export interface TokenSource {
  readonly authorityHost: string;
  /** The names of the variables with tenant, client and secret; undefined for the machine's identity. */
  readonly application:
    | { readonly tenant: string; readonly client: string; readonly secret: string }
    | undefined;
}

/** The variables that say what identity the machine has; Azure sets them in its containers. */
export const MACHINE_IDENTITY_VARIABLES = [
  "AZURE_AUTHORITY_HOST",
  "AZURE_CLIENT_ID",
  "AZURE_FEDERATED_TOKEN_FILE",
  "AZURE_POD_IDENTITY_AUTHORITY_HOST",
  "AZURE_TENANT_ID",
  "IDENTITY_ENDPOINT",
  "IDENTITY_HEADER",
];

const AUTHORITY_HOST = "https://login.microsoftonline.com";
const METADATA_HOST = "http://169.254.169.254";
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** The source of an entry's tokens; undefined if it uses a key. Throws TerminalError `credentials` if it names nothing. */
export function tokenSource({ apiKeyEnv, settings }: ProviderConfig): TokenSource | undefined {
  if (apiKeyEnv !== "") return undefined;
  const { tenant_id_env: tenant, client_id_env: client, client_secret_env: secret } = settings;
  const authorityHost = settings.authority_host ?? "";
  if (tenant !== undefined && client !== undefined && secret !== undefined) {
    return { authorityHost, application: { tenant, client, secret } };
  }
  if (settings.machine_credentials === true) return { authorityHost, application: undefined };
  throw terminal(
    "credentials",
    "the provider names no credential: Azure needs api_key_env, client_secret_env with tenant_id_env and client_id_env, or machine_credentials: true",
  );
}

/**
 * The request for a token of this source: an application's by its secret; the machine's by the token of its workload
 * identity, by App Service's endpoint or by the metadata service. Throws TerminalError `credentials` for an unset variable or
 * an unreadable file.
 */
export async function tokenRequest(source: TokenSource, env: Environment): Promise<TokenRequest> {
  const { application } = source;
  const host = (source.authorityHost || env["AZURE_AUTHORITY_HOST"] || AUTHORITY_HOST).replace(/\/+$/u, "");
  const resource = resourceFor(host);
  if (application !== undefined) {
    const secret = credential(application.secret, env);
    const form = { client_id: credential(application.client, env), client_secret: secret };
    return signIn(host, credential(application.tenant, env), { ...form, scope: `${resource}/.default` }, [
      secret,
    ]);
  }
  const { AZURE_FEDERATED_TOKEN_FILE: file, AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: clientId } = env;
  if (file !== undefined && tenant !== undefined && clientId !== undefined) {
    const assertion = await readAssertion(file);
    const form = { client_id: clientId, client_assertion: assertion, client_assertion_type: ASSERTION_TYPE };
    return signIn(host, tenant, { ...form, scope: `${resource}/.default` }, [assertion]);
  }
  return machineRequest(resource, clientId, env);
}

function machineRequest(resource: string, clientId: string | undefined, env: Environment): TokenRequest {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = env;
  const client = clientId === undefined ? {} : { client_id: clientId };
  const query = (version: string) =>
    new URLSearchParams({ "api-version": version, resource, ...client }).toString();
  const get = { method: "GET", body: undefined } as const;
  if (endpoint !== undefined && header !== undefined) {
    const url = `${endpoint}?${query("2019-08-01")}`;
    return { ...get, url, headers: { "x-identity-header": header }, secrets: [header] };
  }
  const host = (env["AZURE_POD_IDENTITY_AUTHORITY_HOST"] ?? METADATA_HOST).replace(/\/+$/u, "");
  const url = `${host}/metadata/identity/oauth2/token?${query("2018-02-01")}`;
  return { ...get, url, headers: { metadata: "true" }, secrets: [] };
}

function signIn(
  host: string,
  tenant: string,
  form: Readonly<Record<string, string>>,
  secrets: readonly string[],
): TokenRequest {
  return {
    url: `${host}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: "client_credentials", ...form }).toString(),
    secrets,
  };
}

/** Azure's AI services in the cloud of this host. */
function resourceFor(host: string): string {
  const suffix = /\.(?<cloud>us|cn)$/u.exec(URL.parse(host)?.hostname ?? "")?.groups?.["cloud"] ?? "com";
  return `https://cognitiveservices.azure.${suffix}`;
}

async function readAssertion(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw terminal(
      "credentials",
      `the file that AZURE_FEDERATED_TOKEN_FILE names cannot be read (${code}): it must hold the workload's token`,
      { cause: error },
    );
  }
}
