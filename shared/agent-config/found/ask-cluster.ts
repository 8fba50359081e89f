import { readFileSync } from "node:fs";
import { get as getHttp } from "node:http";
import { get as getHttps, type RequestOptions } from "node:https";
import { dirname, resolve } from "node:path";
import { parseDocument } from "yaml";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { errorMessage } from "#shared/errors.ts";
import type { FoundKubeconfig } from "#shared/agent-config/found/find-kubeconfig.ts";

const Text = Type.Optional(Type.String());
const Cluster = Type.Object({
  server: Type.String(),
  "certificate-authority": Text,
  "certificate-authority-data": Text,
  "insecure-skip-tls-verify": Type.Optional(Type.Boolean()),
  "tls-server-name": Text,
});
const User = Type.Object({
  token: Text,
  tokenFile: Text,
  "client-certificate": Text,
  "client-certificate-data": Text,
  "client-key": Text,
  "client-key-data": Text,
});
const parseKubeconfig = compileParser(
  "kubeconfig",
  Type.Object({
    contexts: Type.Array(
      Type.Object({ name: Type.String(), context: Type.Object({ cluster: Type.String(), user: Text }) }),
    ),
    clusters: Type.Array(Type.Object({ name: Type.String(), cluster: Cluster })),
    users: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), user: Type.Union([User, Type.Null()]) })),
    ),
  }),
);

/** The limit for the answer. */
const ANSWER_MS = 3_000;

/**
 * Asks the cluster of a kubeconfig's current context for its `/version`. Returns undefined if it answers within 3 s, else why it does
 * not, as the end of a sentence. A refusal counts as an answer where a program makes the credentials, which is not run here. Throws
 * the signal's reason.
 */
export async function askCluster(
  kubeconfig: FoundKubeconfig,
  signal: AbortSignal,
): Promise<string | undefined> {
  const limit = AbortSignal.timeout(ANSWER_MS);
  try {
    const { url, options, hasCredentials } = clusterRequest(kubeconfig, "version");
    const status = await statusOf(url, { ...options, signal: AbortSignal.any([signal, limit]) });
    const isRefusal = status === 401 || status === 403;
    if (status === 200 || (isRefusal && !hasCredentials)) return undefined;
    return `its cluster at ${url.origin} answers /version with HTTP ${status}`;
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return `its cluster did not answer /version within ${ANSWER_MS / 1_000} s`;
    return `its cluster cannot be asked (${errorMessage(error)})`;
  }
}

/** A request to the cluster of a kubeconfig. Throws for a file that does not say where the context's cluster is. */
export function clusterRequest({ path, context }: FoundKubeconfig, what: string) {
  // Aliases are bounded, because each can expand to a large value.
  const file = parseKubeconfig(parseDocument(readFileSync(path, "utf8")).toJS({ maxAliasCount: 100 }));
  const named = file.contexts.find(({ name }) => name === context)?.context;
  const cluster = file.clusters.find(({ name }) => name === named?.cluster)?.cluster;
  if (cluster === undefined) throw new Error(`the context ${context} names no cluster of the file`);
  const user = file.users?.find(({ name }) => name === named?.user)?.user ?? {};
  const url = new URL(what, cluster.server.replace(/\/*$/u, "/"));
  const options = tlsOf(cluster, user, dirname(path));
  const token = user.token ?? textOf(user.tokenFile, undefined, dirname(path))?.trim();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    url,
    options: { ...options, headers },
    hasCredentials: token !== undefined || options.cert !== undefined,
  };
}

function tlsOf(cluster: Static<typeof Cluster>, user: Static<typeof User>, directory: string) {
  const servername = cluster["tls-server-name"];
  return {
    ca: textOf(cluster["certificate-authority"], cluster["certificate-authority-data"], directory),
    cert: textOf(user["client-certificate"], user["client-certificate-data"], directory),
    key: textOf(user["client-key"], user["client-key-data"], directory),
    rejectUnauthorized: cluster["insecure-skip-tls-verify"] !== true,
    ...(servername === undefined ? {} : { servername }),
  };
}

/** The data in the file goes first, as with kubectl; paths are relative to the file. */
function textOf(path: string | undefined, data: string | undefined, directory: string): string | undefined {
  if (data !== undefined) return Buffer.from(data, "base64").toString();
  return path === undefined ? undefined : readFileSync(resolve(directory, path), "utf8");
}

async function statusOf(url: URL, options: RequestOptions): Promise<number> {
  return new Promise((resolved, reject) => {
    const get = url.protocol === "https:" ? getHttps : getHttp;
    const request = get(url, { ...options, agent: false }, (response) => {
      resolved(response.statusCode ?? 0);
      // Its body is not read: that it breaks off is no error.
      response.on("error", () => undefined);
      request.destroy();
    });
    request.once("error", reject);
  });
}
