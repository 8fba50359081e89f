import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect } from "chai";
import { listen } from "#shared/service/listen.ts";
import { BackingServers } from "../../test/support/backing-servers.ts";
import { openFakeCluster, writeKubeconfig } from "../../test/support/fake-cluster.ts";
import { NIGHTLY } from "../../test/support/nightly.ts";
import { NOTHING_LISTENS } from "../../test/support/nothing-listens.ts";
import { TarsyClient } from "../../test/support/tarsy-client.ts";
import { TarsySystem } from "../../test/support/tarsy-system.ts";
import { testPort } from "../../test/support/test-port.ts";
import { findModelServers } from "../tarsy/init/find-model-servers.ts";
import { tarsyHere } from "./tarsy-here.ts";

const KEY = "sk-secret-that-must-not-leak";
/** So that no server of this machine is asked. */
const NO_SERVER = ["--llm-url", `${NOTHING_LISTENS}/v1`];

/** A server with OpenAI's API. Each answer is the same text; `models` are the bodies of its chat requests. */
async function openModelServer(
  listed: unknown = { data: [{ id: "nomic-embed" }, { id: "tiny {{x}}:1b" }] },
  status = 200,
) {
  const requests: string[] = [];
  const server = createServer((incoming, response) => {
    if (incoming.method === "GET") {
      if (listed === "hang") return;
      response.end(JSON.stringify(listed));
      return;
    }
    let body = "";
    incoming.setEncoding("utf8").on("data", (text: string) => (body += text));
    incoming.on("end", () => {
      requests.push(body);
      response.writeHead(status, { "content-type": "text/event-stream" });
      const chunk = (delta: object, finish_reason: string | null) =>
        response.write(
          `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "tiny", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
        );
      chunk({ role: "assistant", content: "The log of db-7 " }, null);
      chunk({ content: "fills its disk." }, null);
      chunk({}, "stop");
      response.end("data: [DONE]\n\n");
    });
  });
  const port = await testPort();
  await listen(server, { host: "127.0.0.1", port });
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

describe("npm run tarsy -- init", () => {
  let home: string;
  let directory: string;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "tarsy-init-"));
    directory = join(home, "config");
  });
  afterEach(() => rm(home, { recursive: true }));

  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    tarsyHere(args, { PATH: process.env["PATH"], HOME: home, INIT_CWD: home, ...env });
  const init = (args: readonly string[], env?: NodeJS.ProcessEnv) =>
    run(["init", "--dir", "config", ...args], env);
  /** The keys of these tests are none that a provider knows. */
  const initWithoutCall = (args: readonly string[], env?: NodeJS.ProcessEnv) =>
    init([...args, "--no-call"], env);
  const check = (env?: NodeJS.ProcessEnv) =>
    run(["config", "check", "--strict", "--config-dir", directory], env);
  const read = async () =>
    Object.fromEntries(
      await Promise.all(
        (await readdir(directory)).map(
          async (name) => [name, await readFile(join(directory, name), "utf8")] as const,
        ),
      ),
    );
  /** A PATH on which the Kubernetes server is. */
  const withServer = async () => {
    const bin = join(home, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "kubernetes-mcp-server"), "#!/bin/sh\n");
    await chmod(join(bin, "kubernetes-mcp-server"), 0o755);
    return [bin, process.env["PATH"]].join(delimiter);
  };

  it("writes a configuration for a model server, with which the model answers, and an investigation runs to its end", async () => {
    await using model = await openModelServer();
    const { code, out, errors } = await init(["--llm-url", model.url]);
    expect({ code, errors }).to.deep.equal({ code: 0, errors: "" });
    expect(out)
      .to.include(`found      A server at ${model.url} with tiny {{x}}:1b`)
      .and.include("not found  an API key")
      .and.include("not found  a cluster: no kubeconfig with a current context was found")
      .and.match(/asked {6}tiny \{\{x\}\}:1b of local: "The log of db-7 fills its disk\." after \d+\.\d s\n/u)
      .and.include("next       npm start -- --config-dir config\n");
    expect(await check()).to.include({ code: 0, errors: "" });
    expect(model.requests[0]).to.include('"tiny {{x}}:1b"').and.include("Reply with the one word");
    if (!NIGHTLY) return;
    await using servers = await BackingServers.choose({});
    await using system = await TarsySystem.start({ servers, configDir: directory });
    const client = new TarsyClient(system);
    const id = await client.submit("The disk of db-7 is full.");
    const session = await client.waitFor(id, ["completed", "failed", "timed_out"]);
    expect(session).to.include({ status: "completed", final_analysis: "The log of db-7 fills its disk." });
    expect(model.requests[1]).to.include("The disk of db-7 is full.");
  });

  it("writes an entry for each key by the name of its variable alone", async () => {
    const env = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY };
    const { code, out, errors } = await initWithoutCall(NO_SERVER, env);
    expect({ code, errors }).to.deep.equal({ code: 0, errors: "" });
    expect(out).to.include("found      OPENAI_API_KEY: provider openai-default").and.not.include(KEY);
    const files = await read();
    expect(Object.keys(files).sort()).to.deep.equal([".env", "llm-providers.yaml", "tarsy.yaml"]);
    expect(Object.values(files).join("")).not.to.include(KEY);
    expect(files["llm-providers.yaml"]).to.include("api_key_env: ANTHROPIC_API_KEY");
    expect(files["tarsy.yaml"])
      .to.include("llm_provider: anthropic-default")
      .and.include("these are example files");
    expect((await stat(join(directory, ".env"))).mode & 0o777).to.equal(0o600);
    expect(await check(env)).to.include({ code: 0, errors: "" });
    expect(await check()).to.include({ code: 1 });
  });

  it("gives the built-in agent the cluster of a kubeconfig, read-only", async () => {
    await using cluster = await openFakeCluster();
    const path = join(home, ".kube", "config");
    await writeKubeconfig(path, { server: cluster.url, context: "lab {{.X}}" });
    const env = { GOOGLE_API_KEY: KEY, PATH: await withServer() };
    const { code, out, errors } = await initWithoutCall(NO_SERVER, env);
    expect({ code, errors }).to.deep.equal({ code: 0, errors: "" });
    // Several built-in providers read this key.
    expect(out.match(/found {6}GOOGLE_API_KEY: .*/gu)).to.deep.equal([
      "found      GOOGLE_API_KEY: provider google-default",
    ]);
    expect(out).to.include(`found      ${path}: context lab {{.X}}, to be read only`);
    expect(await check(env)).to.include({ code: 0, errors: "" });
    const shown = await run(["config", "show", "--config-dir", directory], env);
    expect(shown.out)
      .to.include("--read-only")
      .and.include(path)
      .and.match(
        /iteration_strategy: react # agent\n.*\n.*\n\s+mcp_servers:\n\s+- kubernetes-server # agent/u,
      );
  });

  it("says why a cluster cannot be investigated, and writes the example files", async () => {
    const path = join(home, "other");
    await writeKubeconfig(path, { server: NOTHING_LISTENS });
    const env = { GOOGLE_API_KEY: KEY, KUBECONFIG: ["", join(home, "none"), path].join(delimiter) };
    const { out } = await initWithoutCall(NO_SERVER, env);
    expect(out)
      .to.include(`not found  a cluster: the context lab of ${path} cannot be used: its cluster`)
      .and.include("ECONNREFUSED");
    expect(await check(env)).to.include({ code: 0, errors: "" });
    expect((await read())["tarsy.yaml"]).to.include("command: mcp-server-filesystem");
  });

  it("says that the model does not answer, after the configuration is written", async () => {
    await using model = await openModelServer(undefined, 401);
    const { code, out, errors } = await init(["--llm-url", model.url]);
    expect(code).to.equal(1);
    expect(out).to.include("wrote      ").and.include("next       npm start");
    expect(errors).to.include("asked      local (tiny").and.include("its model does not answer");
  });

  it("overwrites nothing without --force, and no .env with it", async () => {
    await mkdir(directory);
    await writeFile(join(directory, "tarsy.yaml"), "mine");
    await writeFile(join(directory, ".env"), `GROQ_API_KEY=${KEY}\n`);
    const refused = await init(NO_SERVER);
    // Nothing else was printed before.
    expect(refused).to.include({ code: 1, out: "" });
    expect(refused.errors).to.equal(
      `${directory} has tarsy.yaml already: name another directory with --dir, or replace it with --force\n`,
    );
    expect(await read()).to.deep.equal({ "tarsy.yaml": "mine", ".env": `GROQ_API_KEY=${KEY}\n` });
    const forced = await initWithoutCall([...NO_SERVER, "--force"]);
    expect(forced).to.include({ code: 0, errors: "" });
    const files = await read();
    expect(files[".env"]).to.equal(`GROQ_API_KEY=${KEY}\n`);
    expect(files["tarsy.yaml"]).to.include("llm_provider: groq-default");
    expect(await check()).to.include({ code: 0, errors: "" });
  });

  it("writes nothing without a model, and says what would help", async () => {
    const { code, out, errors } = await init(NO_SERVER);
    expect(code).to.equal(1);
    expect(out).to.include(`not found  a model server at ${NOTHING_LISTENS}/v1`);
    expect(errors).to.include("nothing was written").and.include("ollama pull");
    expect(await readdir(home)).to.deep.equal([]);
    expect(await init(["--llm-url", "8080"])).to.include({ code: 2 });
  });
});

describe("findModelServers", () => {
  const at = (url: string) => [{ name: "one", url }];

  it("passes over what is no model server, lists no model for text, or does not answer", async () => {
    const { signal } = new AbortController();
    for (const listed of [
      { models: [] },
      "text",
      { data: [] },
      { data: [{ id: "mxbai-embed-large" }] },
      "hang",
    ]) {
      await using server = await openModelServer(listed);
      expect(await findModelServers(at(server.url), signal)).to.deep.equal([]);
    }
    expect(await findModelServers(at(`${NOTHING_LISTENS}/v1`), signal)).to.deep.equal([]);
  });

  it("ends at once when it is aborted", async () => {
    await using server = await openModelServer("hang");
    const stop = new AbortController();
    const asked = findModelServers(at(server.url), stop.signal);
    stop.abort(new Error("enough"));
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).to.have.property("message", "enough");
  });
});
