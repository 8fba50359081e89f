import { createServer } from "node:http";
import { mkdir, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { dirname } from "node:path";
import { stringify } from "yaml";
import { listen } from "#shared/service/listen.ts";

/** What stands for a Kubernetes cluster: its API server. */
interface FakeCluster extends AsyncDisposable {
  readonly url: string;
  /** Paths and tokens of the requests so far. */
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[];
}

const PODS = [{ metadata: { name: "checkout-1", namespace: "shop" }, status: { phase: "Running" } }];
const serviceOf = (name: string, labels: object, port: number) => ({
  metadata: { name, namespace: "obs", labels },
  spec: { ports: [{ port }] },
});
const SERVICES = [serviceOf("web", {}, 80), serviceOf("m", { app: "mine" }, 8080)];
const ANSWERS: Readonly<Record<string, object>> = {
  "/version": { major: "1", minor: "34", gitVersion: "v1.34.1" },
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [] },
  "/api/v1": {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [
      { name: "pods", singularName: "", namespaced: true, kind: "Pod", verbs: ["get", "list"] },
      { name: "namespaces", singularName: "", namespaced: false, kind: "Namespace", verbs: ["get", "list"] },
    ],
  },
  "/api/v1/pods": { kind: "PodList", apiVersion: "v1", metadata: {}, items: PODS },
  "/api/v1/services": { kind: "ServiceList", apiVersion: "v1", metadata: {}, items: SERVICES },
  "/api/v1/namespaces": {
    kind: "NamespaceList",
    apiVersion: "v1",
    metadata: {},
    items: [{ metadata: { name: "shop" } }],
  },
};

/** Opens an API server on a free port of 127.0.0.1; `status` answers every request with this status, `hang` with nothing. */
export async function openFakeCluster({
  status,
  hang = false,
}: { status?: number; hang?: boolean } = {}): Promise<FakeCluster> {
  const requests: { path: string; authorization: string | undefined }[] = [];
  const server = createServer((incoming, response) => {
    const path = (incoming.url ?? "").replace(/\?.*$/u, "");
    requests.push({ path, authorization: incoming.headers.authorization });
    if (hang) return;
    const answer = ANSWERS[path];
    response.writeHead(status ?? (answer === undefined ? 404 : 200), { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { kind: "Status", status: "Failure", code: 404 }));
  });
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Writes a kubeconfig whose current context is `context`. */
export async function writeKubeconfig(
  path: string,
  {
    server,
    context = "lab",
    user = { token: "t0ken" },
    cluster = {},
  }: { server: string; context?: string; user?: object; cluster?: object },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const text = stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": context,
    clusters: [{ name: "one", cluster: { server, ...cluster } }],
    users: [{ name: "me", user }],
    contexts: [{ name: context, context: { cluster: "one", user: "me" } }],
  });
  await writeFile(path, text);
}
