import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { publishEvent } from "#shared/bus/publish-event.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { busEventCodec } from "#shared/contracts/session-event.ts";
import { pino } from "pino";
import { ensureExecutorsDurable, ensureStreams } from "#shared/bus/ensure-streams.ts";
import { isDurableAheadOfStream, recreateDurable } from "#shared/bus/executors-durable.ts";
import { lastPublishedSeq } from "#shared/bus/last-published-seq.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { pullSession } from "#shared/bus/pull-session.ts";
import { queuedSessions } from "#shared/bus/queued-sessions.ts";
import { BUS_USERS } from "#shared/contracts/bus-users.ts";
import { EVENTS_STREAM, SESSIONS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";
import { freePort } from "../../launcher/free-port.ts";
import { findNatsServer } from "../../launcher/nats/find-nats-server.ts";
import { until } from "../../test/support/until.ts";
import { passwordVariable, renderNatsUsers } from "../nats/render-nats-users.ts";
import { wakeSession } from "../../test/support/wake-session.ts";

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
      .replace('http: "127.0.0.1:8222"', "")
      .replace('"/data"', JSON.stringify(join(directory, "data")));
    await writeFile(join(directory, "nats.conf"), conf);
    const binary = await findNatsServer({ toolsDir: TOOLS_DIR, env: process.env, progress: () => undefined });
    const passwords: NodeJS.ProcessEnv = { NATS_SERVER_NAME: "test" };
    for (const user of Object.keys(BUS_USERS)) passwords[passwordVariable(user)] = `s-${user}`;
    const server = spawn(binary, ["-c", join(directory, "nats.conf")], {
      env: passwords,
      stdio: "ignore",
    });
    resources.defer(async () => {
      const exited = once(server, "exit");
      server.kill("SIGKILL");
      await exited;
    });
  });
  after(async () => resources.disposeAsync());

  const connect = async (user: string): Promise<Bus> =>
    openBus({ url: `nats://${user}:s-${user}@127.0.0.1:${port}`, name: "test", log, signal });

  /** The permission errors of this connection so far. */
  const refusals = (bus: Bus): string[] => {
    const seen: string[] = [];
    void (async () => {
      for await (const { type, data } of bus.connection.status()) {
        if (type === "error") seen.push(JSON.stringify(data));
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
    await ensureStreams(api, { replicas: 1 });
    // Each updates what the other one changed.
    for (const [changes, restores] of [
      [api, executor],
      [executor, api],
    ] as const) {
      for (const name of [SESSIONS_STREAM, EVENTS_STREAM]) {
        await changes.jsm.streams.update(name, { max_msgs: 7 });
      }
      await ensureStreams(restores, { replicas: 1 });
    }
    await ensureExecutorsDurable(executor, { maxRunning: 3 });
    await ensureExecutorsDurable(executor, { maxRunning: 5 });
    expect(await wakeSession(api, SESSION)).to.equal("queued");
    expect([...(await queuedSessions(api))]).to.deep.equal([SESSION]);
    const delivery = await pullSession(executor, signal);
    expect(delivery?.sessionId).to.equal(SESSION);
    await delivery?.ack();
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
    expect(await isDurableAheadOfStream(api)).to.equal(false);
    await recreateDurable(api, { maxRunning: 5 });
  });

  it("connect only with their password", async () => {
    const stop = AbortSignal.timeout(1_500);
    const wrong = openBus({ url: `nats://api:guess@127.0.0.1:${port}`, name: "test", log, signal: stop });
    expect(await wrong.catch((error: unknown) => error)).to.be.instanceOf(Error);
  });

  const forbidden = [
    SUBJECTS.sessions(SESSION),
    SUBJECTS.events(SESSION),
    SUBJECTS.chunks(SESSION),
    SUBJECTS.cancel(SESSION),
    SUBJECTS.toolsCall,
    SUBJECTS.snapshot(SESSION),
    "$JS.API.STREAM.PURGE.SESSIONS",
    "$JS.API.STREAM.DELETE.EVENTS",
    "$JS.API.STREAM.MSG.DELETE.SESSIONS",
    "$JS.API.CONSUMER.DELETE.SESSIONS.executors",
    "$JS.API.CONSUMER.DELETE.EVENTS.executors",
    "$JS.API.CONSUMER.CREATE.EVENTS.spy",
    "$JS.API.STREAM.LIST",
    "$SYS.REQ.SERVER.PING",
    "_INBOX_other.answer",
  ];
  for (const [user, allowed] of Object.entries(BUS_USERS)) {
    const covers = (patterns: readonly string[], subject: string) =>
      patterns.some((pattern) => {
        const [tokens, parts] = [pattern.split("."), subject.split(".")];
        return (
          tokens.length === parts.length && tokens.every((token, i) => token === "*" || token === parts[i])
        );
      });

    it(`keep ${user} from publishing on other subjects`, async () => {
      await using bus = await connect(user);
      const refused = refusals(bus);
      const subjects = forbidden.filter((subject) => !covers(allowed.publish, subject));
      for (const subject of subjects) bus.connection.publish(subject, "{}");
      await until("every one was refused", () => refused.length >= subjects.length);
      expect(subjects.length).to.be.greaterThan(7);
    });

    it(`keep ${user} from subscribing to other subjects`, async () => {
      await using bus = await connect(user);
      const subjects = [
        ">",
        "_INBOX.>",
        "_INBOX_other.>",
        "tarsy.>",
        "$JS.>",
        ...forbidden.slice(0, 6),
      ].filter((subject) => !covers(allowed.subscribe, subject));
      const failures: string[] = [];
      for (const subject of subjects) {
        bus.connection.subscribe(subject, {
          callback: (error) => void (error && failures.push(error.message)),
        });
      }
      await until("every one was refused", () => failures.length >= subjects.length);
    });
  }
});

describe("make-env.sh", () => {
  it("writes a new secret for every password", async () => {
    const directory = await mkdtemp(join(tmpdir(), "tarsy-env-"));
    try {
      const make = async (name: string) => {
        const file = join(directory, name);
        await promisify(execFile)(join(NATS_DIR, "../make-env.sh"), [file]);
        return readFile(file, "utf8");
      };
      const passwords = (text: string) =>
        [...text.matchAll(/^\w+_PASSWORD=(s[0-9a-f]{48})$/gmu)].map(([, p]) => p);
      const [one, other] = [passwords(await make("one")), passwords(await make("other"))];
      expect(one).to.have.length(6);
      expect(new Set([...one, ...other]).size).to.equal(12);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
