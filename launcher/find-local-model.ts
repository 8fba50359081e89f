import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { errorMessage } from "#shared/errors.ts";
import type { Environment } from "#shared/service/environment.ts";
import { LaunchError } from "./launch-error.ts";

/** The options of the command line about a local model. */
export type LocalModelOptions =
  | { readonly server: "ollama"; readonly model: string }
  | { readonly server: "url"; readonly url: string; readonly model: string | undefined };

/** A model and the server that has it, as deploy/config/local-model names them. */
export interface LocalModel {
  readonly name: string;
  /** Ends with `/v1`. */
  readonly url: string;
}

const ANSWER_MS = 10_000;
/** The number of models that an error lists. */
const MAX_LISTED = 10;
const parseModels = compileParser(
  "list of models",
  Type.Object({ data: Type.Array(Type.Object({ id: Type.String() })) }),
);

/**
 * Asks the server for its models, before anything starts.
 * @throws LaunchError if it does not answer as OpenAI's API does, or does not have the model, with what to do.
 */
export async function findLocalModel(options: LocalModelOptions, env: Environment): Promise<LocalModel> {
  const url =
    options.server === "ollama" ? ollamaUrl(env["OLLAMA_HOST"] ?? "") : options.url.replace(/\/+$/u, "");
  const models = await listModels(url, options);
  const wanted = options.model;
  if (wanted === undefined) {
    const [first] = models;
    if (first === undefined) {
      throw new LaunchError(`${url}/models lists no model; load one, or name it with --model.`);
    }
    return { name: first, url };
  }
  if (models.includes(wanted) || models.includes(`${wanted}:latest`)) return { name: wanted, url };
  // Some servers serve any name, but none without a model in its list.
  const known = models.length === 0 ? "it has none" : `it has ${models.slice(0, MAX_LISTED).join(", ")}`;
  const remedy =
    options.server === "ollama" ? `get it with: ollama pull ${wanted}` : "name one of these with --model";
  throw new LaunchError(`the server at ${url} has no model ${JSON.stringify(wanted)} (${known}); ${remedy}`);
}

async function listModels(url: string, { server }: LocalModelOptions): Promise<string[]> {
  const start =
    server === "ollama" ? "start it with: ollama serve" : "start the server, or correct --llm-url";
  let response: Response;
  try {
    response = await fetch(`${url}/models`, { signal: AbortSignal.timeout(ANSWER_MS) });
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new LaunchError(`no model server answers at ${url} (${errorMessage(cause)}); ${start}`, {
      cause: error,
    });
  }
  try {
    if (!response.ok) throw new Error(`it answers ${response.status}`);
    return parseModels(await response.json()).data.map(({ id }) => id);
  } catch (error) {
    throw new LaunchError(
      `${url}/models is not a list of models as in OpenAI's API (${errorMessage(error)}); the address usually ends in /v1`,
      { cause: error },
    );
  }
}

/** OLLAMA_HOST is what the server binds to: a host, a port, both or an address. */
function ollamaUrl(host: string): string {
  const text = host.includes("://") ? host : `http://${host.startsWith(":") ? "127.0.0.1" : ""}${host}`;
  const url = URL.parse(host === "" ? "http://127.0.0.1" : text);
  if (url === null) {
    throw new LaunchError(`OLLAMA_HOST is "${host}"; it must be a host, host:port or an address.`);
  }
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  const hasPort = url.port !== "" || url.protocol === "https:";
  return `${url.protocol}//${url.hostname}:${hasPort ? url.port || "443" : "11434"}/v1`;
}
