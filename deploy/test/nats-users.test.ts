import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { publishEvent, lastPublishedSeq } from "#shared/bus/publish-event.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { busEventCodec } from "#shared/contracts/session-event.ts";
import { pino } from "pino";
import { ensureDurables, ensureStreams } from "#shared/bus/ensure-streams.ts";
import { readQueueState, recreateDurable } from "#shared/bus/executors-durable.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { pullSession } from "#shared/bus/pull-session.ts";
import { queuedSessions } from "#shared/bus/queue-admin.ts";
import { busPermissions } from "#shared/contracts/bus-users.ts";
import {
  BUS_USERS,
  EVENTS_STREAM,
  FOLLOWUPS_STREAM,
  SESSIONS_STREAM,
  SESSION_LANES,
  SUBJECTS,
  type BusUser,
} from "#shared/contracts/subjects.ts";
import { freePort } from "../../launcher/free-port.ts";
import { findNatsServer } from "../../launcher/nats/find-nats-server.ts";
import { rejectionOf } from "../../launcher/test/rejection-of.ts";
import { until } from "../../test/support/until.ts";
import { passwordVariable, renderNatsUsers } from "../nats/render-nats-users.ts";
import { wakeSession } from "../../test/support/wake-session.ts";
import { FOLLOWUPS_QUEUE, SESSIONS_QUEUE, WAKE_UP_QUEUES } from "#shared/contracts/wake-up-queue.ts";

const NATS_DIR = join(import.meta.dirname, "../nats");
const TOOLS_DIR = join(import.meta.dirname, "../../.tarsy/tools");
const SESSION = "6a0e3ff4-6a0e-4a0e-8a0e-6a0e3ff46a0e";
const log = pino({ level: "silent" });

describe("the users of the NATS server", () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  let port: number;

  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), "tarsy-nats-users-"));
    resources.defer(async () => rm(directory, { recursive: true, force: true }));
    port = await freePort("127.0.0.1");
    await copyFile(join(NATS_DIR, "users.conf"), join(directory, "users.conf"));
    const conf = (await readFile(join(NATS_DIR, "nats.conf"), "utf8"))
      .replace("0.0.0.0:4222", `127.0.0.1:${port}`)
      .replace('"/data"', JSON.stringify(join(directory, "data")));
    await writeFile(join(directory, "nats.conf"), conf);
    const binary = await findNatsServer({ toolsDir: TOOLS_DIR, env: process.env, progress: () => undefined });
    const passwords: NodeJS.ProcessEnv = { NATS_SERVER_NAME: "test", NATS_MONITORING: "127.0.0.1:0" };
    for (const user of BUS_USERS) passwords[passwordVariable(user)] = `s-${user}`;
    const server = spawn(binary, ["-c", join(directory, "nats.conf")], { env: passwords, stdio: "ignore" });
    resources.defer(async () => {
      const exited = once(server, "exit");
      server.kill("SIGKILL");
      await exited;
    });
  });
  after(async () => resources.disposeAsync());

  const connect = async (user: string): Promise<Bus> =>
    openBus({ url: `nats://${user}:s-${user}@127.0.0.1:${port}`, name: "test", log, signal });

  /** The subjects that this connection was refused to publish on so far. */
  const refusals = (bus: Bus): Set<string> => {
    const seen = new Set<string>();
    void (async () => {
      for await (const { permissionContext } of bus.connection.status()) {
        if (permissionContext?.operation === "publish") seen.add(permissionContext.subject);
      }
    })();
    return seen;
  };

  it("match shared/contracts/bus-users.ts", async () => {
    expect(await readFile(join(NATS_DIR, "users.conf"), "utf8")).to.equal(renderNatsUsers());
  });

  it("have all permissions that a session needs", async () => {
    await using api = await connect("api");
    await using executor = await connect("executor");
    await using admin = await connect("stream-admin");
    await ensureStreams(admin, { replicas: 1 });
    for (const name of [SESSIONS_STREAM, FOLLOWUPS_STREAM, EVENTS_STREAM]) {
      await admin.jsm.streams.update(name, { max_msgs: 7 });
    }
    await ensureStreams(admin, { replicas: 1 });
    await ensureDurables(admin, { maxSessions: 3, maxFollowups: 2 });
    await ensureDurables(admin, { maxSessions: 5, maxFollowups: 2 });
    // Services without the right to change them find that everything is as they would create it.
    for (const former of [api, executor]) {
      await ensureStreams(former, { replicas: 1 });
      await ensureDurables(former, { maxSessions: 5, maxFollowups: 2 });
    }
    expect(await wakeSession(api, SESSION)).to.equal("queued");
    expect([...(await queuedSessions(api))]).to.deep.equal([SESSION]);
    const delivery = await pullSession(executor, SESSIONS_QUEUE, signal);
    expect(delivery?.sessionId).to.equal(SESSION);
    await delivery?.ack();
    expect(await wakeSession(api, SESSION, "followup")).to.equal("queued");
    const followup = await pullSession(executor, FOLLOWUPS_QUEUE, signal);
    expect(followup?.sessionId).to.equal(SESSION);
    await followup?.ack();
    expect(await wakeSession(executor, SESSION, "followup")).to.equal("queued");
    expect(await lastPublishedSeq(executor, SESSION)).to.equal(0);
    const followed: number[] = [];
    const events = subscribe(api, SUBJECTS.events(SESSION), busEventCodec, ({ seq }) => followed.push(seq));
    await events.live();
    const timestamp = new Date().toISOString();
    const payload = {
      type: "session.status",
      session_id: SESSION,
      status: "in_progress",
      timestamp,
    } as const;
    publishEvent(executor, { session_id: SESSION, seq: 1, db_event_id: 1, payload });
    await until("the api follows a session's events", () => followed.length === 1);
    await until("the event is stored", async () => (await lastPublishedSeq(executor, SESSION)) === 1);
    // The sweeper recreates a durable consumer that skipped messages.
    expect(await readQueueState(api, SESSIONS_QUEUE)).to.equal("working");
    for (const queue of WAKE_UP_QUEUES) {
      await recreateDurable(admin, queue, { maxSessions: 5, maxFollowups: 2 });
    }
  });

  it("connect only with their password", async () => {
    for (const credentials of ["api:guess@", ""]) {
      await using _accepted = await connect("api");
      const stop = new AbortController();
      const refused = Promise.withResolvers<string>();
      const warnings = pino({ level: "warn" }, { write: refused.resolve });
      const url = `nats://${credentials}127.0.0.1:${port}`;
      const ended = rejectionOf(openBus({ url, name: "test", log: warnings, signal: stop.signal }));
      expect(await Promise.race([refused.promise, ended])).to.match(/authorization violation/iu);
      stop.abort();
      await ended;
    }
  });

  const onStreams = (verb: string) =>
    ["SESSIONS", "FOLLOWUPS", "EVENTS"].map((stream) => `$JS.API.STREAM.${verb}.${stream}`);
  const onDurables = (verb: string) =>
    ["SESSIONS.executors", "FOLLOWUPS.followups"].map((name) => `$JS.API.CONSUMER.${verb}.${name}`);
  const STREAM_VERBS = "INFO CREATE UPDATE PURGE DELETE MSG.GET MSG.DELETE SNAPSHOT RESTORE";
  const WAKE_UPS = ([...SESSION_LANES, "followup"] as const).map((lane) => SUBJECTS.wakeUp(lane, SESSION));
  /** What few users need, or none. */
  const sensitive = [
    ...WAKE_UPS,
    SUBJECTS.events(SESSION),
    SUBJECTS.feed(SESSION),
    SUBJECTS.chunks(SESSION),
    SUBJECTS.progress(SESSION),
    SUBJECTS.cancel(SESSION),
    SUBJECTS.toolsList,
    SUBJECTS.toolsCall,
    SUBJECTS.toolsCallOf(SESSION),
    SUBJECTS.toolCancel(SESSION),
    SUBJECTS.toolsRelease,
    SUBJECTS.toolProgress(SESSION),
    SUBJECTS.snapshot(SESSION),
    ...STREAM_VERBS.split(" ").flatMap(onStreams),
    "$JS.API.STREAM.CREATE.SPY",
    "$JS.API.STREAM.UPDATE.SPY",
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.MSG.GET.SPY",
    "$JS.API.DIRECT.GET.EVENTS",
    "$JS.API.STREAM.PEER.REMOVE.EVENTS",
    "$JS.API.STREAM.LEADER.STEPDOWN.EVENTS",
    ...["INFO", "CREATE", "DURABLE.CREATE", "DELETE", "MSG.NEXT"].flatMap((verb) => [
      `$JS.API.CONSUMER.${verb}.SESSIONS.executors`,
      `$JS.API.CONSUMER.${verb}.SESSIONS.spy`,
      `$JS.API.CONSUMER.${verb}.FOLLOWUPS.followups`,
      `$JS.API.CONSUMER.${verb}.FOLLOWUPS.spy`,
      `$JS.API.CONSUMER.${verb}.EVENTS.executors`,
      `$JS.API.CONSUMER.${verb}.EVENTS.spy`,
    ]),
    "$JS.API.CONSUMER.CREATE.SESSIONS",
    "$JS.API.CONSUMER.CREATE.EVENTS",
    "$JS.API.CONSUMER.CREATE.EVENTS.spy.tarsy.events.all",
    "$JS.API.CONSUMER.LIST.EVENTS",
    SUBJECTS.queueRefuses,
    "$JS.API.INFO",
    "$JS.API.ACCOUNT.PURGE.$G",
    "$SYS.REQ.SERVER.PING",
    "$SYS.REQ.USER.INFO",
    "$JS.ACK.SESSIONS.executors.1.1.1.1.0",
    "$JS.ACK.FOLLOWUPS.followups.1.1.1.1.0",
    "$JS.ACK.FOLLOWUPS.spy.1.1.1.1.0",
    "$JS.ACK.EVENTS.spy.1.1.1.1.0",
    ...[...BUS_USERS, "other"].map((user) => `_INBOX_${user}.answer`),
    "_INBOX.answer",
  ];
  /** The only ones of them that a user may publish on: written out, because the list of permissions may be wrong. */
  const publishes: Readonly<Record<BusUser, readonly string[]>> = {
    api: [
      ...WAKE_UPS,
      SUBJECTS.events(SESSION),
      SUBJECTS.feed(SESSION),
      SUBJECTS.cancel(SESSION),
      // A preview of an alert shows the tools. Listing calls none of them; calls stay the executor's alone.
      SUBJECTS.toolsList,
      SUBJECTS.queueRefuses,
      ...onStreams("INFO"),
      ...onDurables("INFO"),
    ],
    executor: [
      SUBJECTS.wakeUp("followup", SESSION),
      SUBJECTS.events(SESSION),
      SUBJECTS.feed(SESSION),
      SUBJECTS.chunks(SESSION),
      SUBJECTS.progress(SESSION),
      SUBJECTS.toolsList,
      SUBJECTS.toolsCall,
      SUBJECTS.toolsCallOf(SESSION),
      SUBJECTS.toolCancel(SESSION),
      SUBJECTS.toolsRelease,
      ...onStreams("INFO"),
      "$JS.API.STREAM.MSG.GET.EVENTS",
      ...onDurables("INFO"),
      ...onDurables("MSG.NEXT"),
      "$JS.ACK.SESSIONS.executors.1.1.1.1.0",
      "$JS.ACK.FOLLOWUPS.followups.1.1.1.1.0",
    ],
    "tool-runner": [SUBJECTS.toolProgress(SESSION)],
    notifier: [SUBJECTS.snapshot(SESSION)],
    "stream-admin": [
      ...["INFO", "CREATE", "UPDATE", "PURGE", "DELETE"].flatMap(onStreams),
      ...onDurables("INFO"),
      ...onDurables("CREATE"),
      ...onDurables("DURABLE.CREATE"),
      ...onDurables("DELETE"),
    ],
  };
  for (const user of BUS_USERS) {
    it(`keep ${user} from publishing on other subjects`, async () => {
      await using bus = await connect(user);
      const refused = refusals(bus);
      const subjects = sensitive.filter((subject) => !publishes[user].includes(subject));
      for (const subject of subjects) bus.connection.publish(subject, "{}");
      await until(
        "every one was refused",
        () => subjects.every((subject) => refused.has(subject)),
        30_000,
      ).catch(() =>
        expect.fail(`allowed: ${subjects.filter((subject) => !refused.has(subject)).join(", ")}`),
      );
    });

    it(`keep ${user} from subscribing to other subjects`, async () => {
      await using bus = await connect(user);
      const { subscribe: own } = busPermissions(user);
      const others = [...BUS_USERS, "other"].filter((other) => other !== user);
      const inboxes = others.flatMap((other) => [`_INBOX_${other}.>`, `_INBOX_${other}.answer`]);
      const services = BUS_USERS.flatMap((other) => busPermissions(other).subscribe);
      const wide = [">", "*.>", "*", "_INBOX.>", "_INBOX_*.>", "tarsy.>", "tarsy.*.*", "$JS.>", "$SYS.>"];
      const all = new Set([...wide, ...inboxes, ...services]);
      const subjects = [...all].filter((subject) => !own.includes(subject));
      const failed = new Set<string>();
      for (const subject of subjects) {
        bus.connection.subscribe(subject, { callback: (error) => void (error && failed.add(subject)) });
      }
      await until("every one was refused", () => failed.size === subjects.length, 30_000).catch(() =>
        expect.fail(`allowed: ${subjects.filter((subject) => !failed.has(subject)).join(", ")}`),
      );
    });
  }

  it("keep every inbox private: no service makes a stream or a consumer read one", async () => {
    await using admin = await connect("stream-admin");
    await ensureStreams(admin, { replicas: 1 });
    const { config } = await admin.jsm.streams.info(EVENTS_STREAM);
    for (const user of ["api", "executor", "tool-runner", "notifier"] as const) {
      await using bus = await connect(user);
      const subjects = [...config.subjects, "_INBOX_api.>", "tarsy.cancel.*"];
      const attempts = [
        bus.jsm.streams.update(EVENTS_STREAM, { subjects }),
        bus.jsm.streams.add({ name: "SPY", subjects: ["_INBOX_api.>"] }),
        bus.jsm.consumers.add(SESSIONS_STREAM, { deliver_subject: `_INBOX_${user}.spy` }),
      ];
      const answers = await Promise.all(attempts.map(rejectionOf));
      for (const answer of answers) expect(answer).to.match(/permissions violation/iu);
    }
    const { config: after } = await admin.jsm.streams.info(EVENTS_STREAM);
    expect(after.subjects).to.deep.equal(config.subjects);
    // The same request is answered where it is allowed.
    await admin.jsm.streams.update(EVENTS_STREAM, { subjects: config.subjects });
  });
});
