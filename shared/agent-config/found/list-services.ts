import { get as getHttp } from "node:http";
import { get as getHttps, type RequestOptions } from "node:https";
import { clusterRequest } from "#shared/agent-config/found/ask-cluster.ts";
import type { FoundKubeconfig } from "#shared/agent-config/found/find-kubeconfig.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";

const Service = Type.Object({
  metadata: Type.Object({
    name: Type.String(),
    namespace: Type.String(),
    labels: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
  spec: Type.Optional(
    Type.Object({ ports: Type.Optional(Type.Array(Type.Object({ port: Type.Integer() }))) }),
  ),
});
/** A Service of a cluster. */
export type ClusterService = Static<typeof Service>;

const parseServices = compileParser("list of Services", Type.Object({ items: Type.Array(Service) }));
const ANSWER_MS = 15_000;
/** The most Services that are looked at, and the bytes of their list. */
const LIMIT = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Lists the Services of all namespaces: of a kubeconfig's current context, or at the address of `kubectl proxy`. Reads only. Throws an
 * Error whose message says why it cannot, or the signal's reason.
 */
export async function listServices(
  cluster: FoundKubeconfig | URL,
  signal: AbortSignal,
): Promise<readonly ClusterService[]> {
  const path = `api/v1/services?limit=${LIMIT}`;
  const { url, options } =
    cluster instanceof URL
      ? { url: new URL(path, cluster.href.replace(/\/*$/u, "/")), options: {} }
      : clusterRequest(cluster, path);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  const { status, body } = await read(url, { ...options, signal: limit });
  if (status !== 200) {
    throw new Error(`the cluster at ${url.origin} answers the list of Services with HTTP ${status}`);
  }
  return parseServices(JSON.parse(body)).items;
}

async function read(url: URL, options: RequestOptions): Promise<{ status: number; body: string }> {
  const answered = Promise.withResolvers<{ status: number; body: string }>();
  const get = url.protocol === "https:" ? getHttps : getHttp;
  const request = get(url, { ...options, agent: false }, (response) => {
    let body = "";
    response.setEncoding("utf8").on("data", (text: string) => {
      body += text;
      if (body.length > MAX_BYTES) request.destroy(new Error("the list of Services is too long"));
    });
    response.once("end", () => answered.resolve({ status: response.statusCode ?? 0, body }));
    response.once("error", answered.reject);
  });
  request.once("error", answered.reject);
  return answered.promise;
}
