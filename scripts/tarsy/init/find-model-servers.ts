import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";

/** A server with OpenAI's API. */
export interface ModelServer {
  /** Such as `Ollama`: what usually listens there. */
  readonly name: string;
  /** Ends with `/v1`. */
  readonly url: string;
}

/** A server that answered, and the model of it to use: the first that writes text. */
export interface FoundModel extends ModelServer {
  readonly model: string;
  readonly models: number;
}

/** The usual addresses of model servers. Only this machine is asked. */
export const USUAL_SERVERS: readonly ModelServer[] = [
  { name: "Ollama", url: "http://127.0.0.1:11434/v1" },
  { name: "llama.cpp", url: "http://127.0.0.1:8080/v1" },
  { name: "vLLM", url: "http://127.0.0.1:8000/v1" },
  { name: "LM Studio", url: "http://127.0.0.1:1234/v1" },
];

const ANSWER_MS = 1_500;
const parseModels = compileParser(
  "list of models",
  Type.Object({ data: Type.Array(Type.Object({ id: Type.String({ minLength: 1 }) })) }),
);

/** Asks all servers at once for their models and returns those that list one within 1.5 s. Throws the signal's reason. */
export async function findModelServers(
  servers: readonly ModelServer[],
  signal: AbortSignal,
): Promise<readonly FoundModel[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  const found = await Promise.all(servers.map(async (server) => listModels(server, limit)));
  signal.throwIfAborted();
  return found.filter((server) => server !== undefined);
}

/** Undefined if nothing listens there, or a program that is no model server. */
async function listModels(server: ModelServer, signal: AbortSignal): Promise<FoundModel | undefined> {
  try {
    const response = await fetch(`${server.url}/models`, { signal, redirect: "error" });
    if (!response.ok) return undefined;
    const ids = parseModels(await response.json()).data.map(({ id }) => id);
    // Models for search write no text.
    const model = ids.find((id) => !/embed/iu.test(id));
    return model === undefined ? undefined : { ...server, model, models: ids.length };
  } catch {
    return undefined;
  }
}
