import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { askCluster } from "#shared/agent-config/found/ask-cluster.ts";
import { openFakeCluster, writeKubeconfig } from "../../test/support/fake-cluster.ts";
import { HttpsHost } from "../../test/support/https-host.ts";
import { NOTHING_LISTENS } from "../../test/support/nothing-listens.ts";

const { signal } = new AbortController();

describe("askCluster", () => {
  let directory: string;
  let path: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "tarsy-kube-"));
    path = join(directory, "config");
  });
  after(() => rm(directory, { recursive: true }));

  const ask = async (kubeconfig: Parameters<typeof writeKubeconfig>[1]) => {
    await writeKubeconfig(path, kubeconfig);
    return askCluster({ path, context: kubeconfig.context ?? "lab" }, signal);
  };

  it("asks for the version with the credentials of the context", async () => {
    await using cluster = await openFakeCluster();
    expect(await ask({ server: `${cluster.url}/` })).to.equal(undefined);
    expect(cluster.requests).to.deep.equal([{ path: "/version", authorization: "Bearer t0ken" }]);
  });

  it("says that credentials were refused, but not of a user whose credentials a program makes", async () => {
    await using cluster = await openFakeCluster({ status: 401 });
    expect(await ask({ server: cluster.url })).to.equal(
      `its cluster at ${cluster.url} answers /version with HTTP 401`,
    );
    expect(await ask({ server: cluster.url, user: { exec: { command: "aws" } } })).to.equal(undefined);
  });

  it("says why a cluster does not answer", async () => {
    await using cluster = await openFakeCluster({ hang: true });
    const [slow, away, broken] = await Promise.all([
      ask({ server: cluster.url }),
      askCluster({ path: await kubeconfigAt("away", NOTHING_LISTENS), context: "lab" }, signal),
      askCluster({ path: await kubeconfigAt("other", NOTHING_LISTENS), context: "none" }, signal),
    ]);
    expect(slow).to.equal("its cluster did not answer /version within 3 s");
    expect(away).to.include("cannot be asked").and.include("ECONNREFUSED");
    expect(broken).to.include("the context none names no cluster of the file");
  });

  it("trusts the authority of the file alone", async () => {
    await using host = await HttpsHost.start(["cluster.test"], (_request, response) => response.end("{}"));
    const server = `https://127.0.0.1:${host.port}`;
    expect(await ask({ server })).to.include("cannot be asked");
    const authority = { "certificate-authority-data": Buffer.from(host.ca).toString("base64") };
    expect(await ask({ server, cluster: authority })).to.include("cannot be asked");
    const named = { ...authority, "tls-server-name": "cluster.test" };
    expect(await ask({ server, cluster: named })).to.equal(undefined);
    expect(await ask({ server, cluster: { "insecure-skip-tls-verify": true } })).to.equal(undefined);
  });

  it("ends at once when it is aborted", async () => {
    await using cluster = await openFakeCluster({ hang: true });
    await writeKubeconfig(path, { server: cluster.url });
    const stop = new AbortController();
    const asked = askCluster({ path, context: "lab" }, stop.signal);
    stop.abort(new Error("enough"));
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).to.have.property("message", "enough");
  });

  async function kubeconfigAt(name: string, server: string): Promise<string> {
    const file = join(directory, name);
    await writeKubeconfig(file, { server });
    return file;
  }
});
