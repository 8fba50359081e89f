import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { testConfigDirectory } from "../support/config-directory.ts";
import { TarsyClient } from "../support/tarsy-client.ts";
import { until } from "../support/until.ts";
import { documentedRestore } from "./documented-restore.ts";
import { expectMonitored } from "./expect-monitored.ts";
import { expectWhole } from "./expect-whole.ts";
import { findEngine, type ContainerEngine } from "./container-engine.ts";
import { Load } from "./load.ts";
import { Stack } from "./stack.ts";
import { MAX_RUNNING, STACK_SLOTS, STACK_CONFIG } from "./stack-config.ts";

const SERVICES = ["api", "notifier", "executor", "llm-gateway", "tool-runner"];
const SERVERS = ["nats", "postgres", "proxy"];
const DATABASE_USERS = ["api", "executor", "tool-runner", "notifier"];

describe("the compose stack, through its published port", () => {
  let resources: AsyncDisposableStack;
  let engine: ContainerEngine;
  let stack: Stack;
  let client: TarsyClient;

  before(async () => {
    resources = new AsyncDisposableStack();
    engine = await findEngine();
    const { path } = resources.use(await testConfigDirectory(STACK_CONFIG));
    stack = resources.use(await Stack.start({ engine, configDir: path }));
    client = new TarsyClient(stack.urls);
  });
  after(async () => resources.disposeAsync());
  afterEach(async function () {
    if (this.currentTest?.state === "failed") process.stderr.write(await stack.output());
  });

  it("completes an alert and shows every step on a socket", async () => {
    const load = new Load(client, stack.urls.ws);
    await load.submit("disk full on node-7", "steps");
    await load.submit("disk full on node-8", "steps");
    await expectWhole(stack, load);
  });

  it("calls a tool of a real MCP server that runs in the tool-runner's container", async () => {
    const id = await client.submit("read the pods", { alert_type: "read" });
    const { status, timeline } = await client.waitFor(id, ["completed", "failed"]);
    expect(status).to.equal("completed");
    const results = timeline.flatMap(({ event_type, content }) =>
      event_type === "tool_result" ? [content] : [],
    );
    expect(results).to.have.length(1);
    expect(results[0]).to.contain("CrashLoopBackOff");
  });

  it("serves sockets at both paths and answers health at the same port", async () => {
    const id = await client.submit("disk full");
    const other = new TarsyClient({ ...stack.urls, ws: stack.urls.ws.replace("/ws", "/api/v1/ws") });
    using dialect = await other.watch(id);
    await dialect.next("stage.status");
    using watch = await client.watch(id, { after_seq: 0 });
    await watch.next("session.completed");
    expect((await client.request("GET", "/health")).status).to.equal(200);
  });

  it("cancels a running session down to the model's call", async () => {
    const id = await client.submit("never mind", { alert_type: "hang" });
    using watch = await client.watch(id, { after_seq: 0 });
    await watch.next("stream.chunk");
    expect((await client.request("POST", `/api/v1/sessions/${id}/cancel`)).status).to.equal(200);
    await watch.next("session.completed");
    expect((await client.session(id)).status).to.equal("cancelled");
  });

  it("runs every service as an ordinary user on a read-only root file system", async () => {
    for (const service of SERVICES) {
      const [container = ""] = await stack.containers(service);
      expect((await stack.podman("exec", container, "id", "-u")).trim(), service).to.equal("1000");
      const written = await stack.podman("exec", container, "touch", "/app/x").catch(String);
      expect(written, service).to.contain("Read-only file system");
    }
  });

  it("gives each service's NATS user exactly the subjects that it uses", async () => {
    const logs = await Promise.all((await stack.containers("nats")).map(async (name) => engine.logs(name)));
    expect(logs.join("\n")).not.to.match(/violation/iu);
  });

  it("spreads waiting sessions over new executors and never runs more than allowed", async () => {
    const load = new Load(client, stack.urls.ws);
    for (let index = 0; index < 8 * STACK_SLOTS; index++) await load.submit(`queued ${index}`, "wait");
    await stack.apply({ EXECUTORS: "4" });
    expect(await stack.containers("executor")).to.have.length(4);
    for (let index = 0; index < 8 * STACK_SLOTS; index++) await load.submit(`queued too ${index}`, "wait");
    await expectWhole(stack, load);
    const ids = load.sessions.map(({ id }) => `'${id}'`).join();
    const pods = await stack.query(`SELECT DISTINCT pod_id FROM alert_sessions WHERE session_id IN (${ids})`);
    // The first executor may have been recreated.
    expect(pods).to.have.length.of.at.least(4);
    const [[most = ""] = []] = await stack.query(
      `SELECT max(running) FROM (SELECT sum(change) OVER (ORDER BY at, change) AS running FROM (
         SELECT started_at AS at, 1 AS change FROM alert_sessions WHERE started_at IS NOT NULL
         UNION ALL SELECT completed_at, -1 FROM alert_sessions WHERE started_at IS NOT NULL) moments) sums`,
    );
    expect(Number(most)).to.be.greaterThan(STACK_SLOTS).and.at.most(MAX_RUNNING);
  });

  it("continues the sessions of a killed executor", async () => {
    const load = new Load(client, stack.urls.ws);
    for (let n = 0; n < 2 * STACK_SLOTS; n++) await load.submit(`before the kill ${n}`, "steps");
    const [container = ""] = await stack.containers("executor");
    await until("the executor runs something", async () => {
      // On a slow machine the first ones may have ended before the answer to the query is here.
      await load.submit("just before the kill", "steps");
      const [[count = "0"] = []] = await stack.query(
        "SELECT count(*) FROM alert_sessions WHERE status = 'in_progress'",
      );
      return Number(count) > 0;
    });
    await stack.kill(container);
    await stack.revive(container);
    await expectWhole(stack, load);
  });

  it("answers every request while one api is replaced and then the other one is restarted", async () => {
    const [first = "", second = "", ...others] = await stack.containers("api");
    expect(second).to.not.equal("");
    expect(others).to.deep.equal([]);
    const load = new Load(client, stack.urls.ws);
    const answers = new Map<number | string, number>();
    const replaced = new AbortController();
    // Submissions without data: each is answered by an api and leaves nothing to do.
    const submit = async () => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${stack.urls.api}/api/v1/alerts`, {
        method: "POST",
        headers,
        body: "{}",
      });
      const text = await response.text();
      return response.status === 400 ? 400 : `${response.status} ${text}`;
    };
    const requests = Array.from({ length: 4 }, async () => {
      while (!replaced.signal.aborted) {
        const answer = await submit().catch(String);
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    });
    const [proxy = ""] = await stack.containers("proxy");
    const timesWithoutApi = async () =>
      (await stack.podman("logs", proxy)).match(/apis\/api\d+ is DOWN.*\b0 active/gu)?.length ?? 0;
    const replaceEach = async () => {
      await stack.replace("api", first);
      // Both are too busy for a check, until the proxy has given both up.
      const before = await timesWithoutApi();
      await stack.whilePaused([first, second], async () => {
        await until("the proxy has given up both", async () => (await timesWithoutApi()) > before);
      });
      await stack.restart(second);
    };
    await load.during(replaceEach, "wait", STACK_SLOTS).finally(() => replaced.abort());
    await Promise.all(requests);
    process.stdout.write(`      ${answers.get(400)} requests, ${load.sessions.length} alerts\n`);
    expect([...answers.keys()]).to.deep.equal([400]);
    expect(load.refused).to.equal(0);
    await expectWhole(stack, load);
  });

  it("is watched by a Prometheus that finds every container, and whose Alertmanager starts sessions", async () => {
    await stack.overlay("compose.monitoring.yml", { NOTIFIERS: "2", LLM_GATEWAYS: "2", TOOL_RUNNERS: "2" });
    await expectMonitored(stack, SERVICES);
  });

  it("loses no event and repeats no step while every container is restarted", async () => {
    const services = await Promise.all(SERVICES.map(async (service) => stack.containers(service)));
    for (const containers of services) expect(containers).to.have.length.of.at.least(2);
    const load = new Load(client, stack.urls.ws);
    const restartAll = async () => {
      // One container of each service at a time, and the other ones go on.
      for (let index = 0; services.some((containers) => index < containers.length); index++) {
        await Promise.all(
          services
            .flatMap((containers) => containers.slice(index, index + 1))
            .map((name) => stack.restart(name)),
        );
      }
      for (const server of SERVERS) {
        for (const container of await stack.containers(server)) await stack.restart(container);
        // As an operator does it: wait until every service has reconnected before the next restart.
        if (server !== "proxy") await stack.allHealthy(DATABASE_USERS);
      }
    };
    await load.during(restartAll, "steps", STACK_SLOTS);
    process.stdout.write(`      ${load.sessions.length} alerts, ${load.refused} submissions repeated\n`);
    expect(load.sessions).to.have.length.greaterThan(STACK_SLOTS);
    await expectWhole(stack, load);
  });

  it("restores a backup in place of the lost database", async () => {
    const load = new Load(client, stack.urls.ws);
    await load.submit("worth keeping", "steps");
    await expectWhole(stack, load);
    const [id = ""] = load.sessions.map((session) => session.id);
    const before = await client.session(id);
    const directory = resources.use(await mkdtempDisposable(join(tmpdir(), "tarsy-backup-")));
    await engine.run("bash", "-euc", `cd ${directory.path}\n${await documentedRestore(stack.name)}`);
    const users = await Promise.all(DATABASE_USERS.map((name) => stack.containers(name)));
    for (const name of users.flat()) await stack.healthy(name);
    // One api may answer while the other one still looks for Postgres, whose name the containers' name server may know late.
    const restored = await until("the session is read", async () => {
      const { status } = await client.request("GET", `/api/v1/sessions/${id}`);
      return status === 200 ? client.session(id).catch(() => undefined) : undefined;
    });
    expect(restored).to.deep.equal(before);
    const next = new Load(client, stack.urls.ws);
    await next.submit("after the restore", "steps");
    await expectWhole(stack, next);
  });

  it("is taken down by its label, whatever was scaled, with its data only when that is wanted", async () => {
    const scale = ["--no-deps", "--no-recreate", "--scale", "executor=5", "executor"];
    await stack.compose("up", "--detach", ...scale);
    expect(await stack.containers("executor")).to.have.length(5);
    const all = await stack.containers();
    const volumesNow = async () =>
      (await engine.podman("volume", "ls", "--format", "{{.Name}}"))
        .split("\n")
        .filter((name) => name.startsWith(stack.name));
    const volumes = await volumesNow();
    expect(volumes).to.include.members(["nats", "postgres"].map((name) => `${stack.name}_${name}`));
    const first = await stack.takeDown();
    for (const name of [...all, ...volumes]) expect(first).to.contain(name);
    expect(await stack.containers()).to.deep.equal([]);
    expect(await volumesNow()).to.deep.equal(volumes);

    expect(await stack.takeDown("--volumes")).to.equal(`podman: removed volumes: ${volumes.join(" ")}\n`);
    const last = await stack.takeDown("--volumes");
    expect(last).to.equal(`podman: nothing of the project "${stack.name}" was there\n`);
  });

  it("leaves nothing behind when it is taken down", async () => {
    await resources.disposeAsync();
    for (const list of [["ps", "--all"], ["volume", "ls"], ["network", "ls"], ["images"]]) {
      expect(await engine.podman(...list), list.join(" ")).not.to.contain(stack.name);
    }
  });
});
