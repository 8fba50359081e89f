import { expect } from "chai";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "nats";
import { inboxPrefix } from "#shared/contracts/bus-users.ts";
import { BUS_USERS, SESSIONS_STREAM } from "#shared/contracts/subjects.ts";
import { openNatsPasswords } from "../nats/nats-passwords.ts";
import { type EmbeddedNats, startNats } from "../nats/start-nats.ts";
import { findNatsServer } from "../nats/find-nats-server.ts";
import { projectRoot } from "../prepare.mjs";
import { projectPaths } from "../project-paths.ts";
import { orphan } from "./orphan.ts";
import { rejectionOf } from "./rejection-of.ts";

describe("startNats", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "tarsy-nats-"));
  let binary = "";
  let server: EmbeddedNats | undefined;
  before(async () => {
    binary = await findNatsServer({
      toolsDir: projectPaths(projectRoot).tools,
      env: process.env,
      progress: () => undefined,
    });
  });
  afterEach(async () => server?.stop());
  after(() => rmSync(dataDir, { recursive: true }));
  const start = async (port = 0): Promise<EmbeddedNats> => {
    server = await startNats({ binary, dataDir, port });
    return server;
  };

  it("serves JetStream and keeps its messages across a kill and a restart on the same port", async () => {
    const first = await start();
    const client = await connect({ servers: first.url });
    expect(client.info?.max_payload).to.equal(8 * 1024 * 1024);
    const manager = await client.jetstreamManager();
    await manager.streams.add({ name: "KEPT", subjects: ["kept"] });
    await client.jetstream().publish("kept");
    await client.close();
    process.kill(first.pid, "SIGKILL");
    expect(await first.exited).to.equal("signal SIGKILL");
    const second = await start(first.port);
    expect(second.url).to.equal(first.url);
    expect(second.serverId).not.to.equal(first.serverId);
    const again = await connect({ servers: second.url });
    const { state } = await (await again.jetstreamManager()).streams.info("KEPT");
    expect(state.messages).to.equal(1);
    await again.close();
  });

  it("opens the data of a server that had no users, and lets only its users in", async () => {
    const former = await start();
    const client = await connect({ servers: former.url });
    await (await client.jetstreamManager()).streams.add({ name: SESSIONS_STREAM, subjects: ["held"] });
    await client.jetstream().publish("held");
    await client.close();
    await former.stop();
    const passwords = openNatsPasswords(dataDir);
    expect(openNatsPasswords(dataDir)).to.deep.equal(passwords);
    const users = BUS_USERS.map((user) => ({
      name: user,
      password: JSON.stringify(passwords.get(user)),
      may: user,
    }));
    server = await startNats({ binary, dataDir, port: 0, users });
    const { url } = server;
    for (const wrong of [{}, { user: "api", pass: "guess" }, { token: "guess" }]) {
      expect(await rejectionOf(connect({ servers: url, ...wrong }))).to.match(/authorization/iu);
    }
    const pass = passwords.get("api") ?? "";
    const api = await connect({ servers: url, user: "api", pass, inboxPrefix: inboxPrefix("api") });
    const manager = await api.jetstreamManager({ checkAPI: false });
    const { state } = await manager.streams.info(SESSIONS_STREAM);
    expect(state.messages).to.equal(1);
    await api.close();
  });

  it("leaves no process and no record after repeated stops", async () => {
    const running = await start();
    await Promise.all([running.stop(), running.stop()]);
    await running.stop();
    expect(running.hasExited()).to.equal(true);
    expect(existsSync(join(dataDir, "server.json"))).to.equal(false);
  });

  it("stops the server that a killed owner left on the same data", async () => {
    const left = await start();
    orphan(dataDir);
    const next = await start(left.port);
    expect(left.hasExited()).to.equal(true);
    expect(next.port).to.equal(left.port);
  });

  it("refuses the data directory of a running owner", async () => {
    const running = await start();
    expect(await rejectionOf(startNats({ binary, dataDir, port: 0 })))
      .to.include("in use")
      .and.include(String(process.pid));
    expect(running.hasExited()).to.equal(false);
  });

  it("explains why it cannot start", async () => {
    const running = await start();
    const other = mkdtempSync(join(tmpdir(), "tarsy-nats-"));
    const message = await rejectionOf(startNats({ binary, dataDir: other, port: running.port }));
    expect(message).to.include("does not start").and.include("address already in use");
    rmSync(other, { recursive: true });
  });
});
