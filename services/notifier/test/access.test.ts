import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { addApiKey, revokeApiKey } from "#shared/access/api-keys.ts";
import type { Identity, Role } from "#shared/access/identity.ts";
import { PageSessions } from "#shared/access/page-sessions.ts";
import { TICKET_PROTOCOL, createTicket } from "#shared/access/socket-tickets.ts";
import { until } from "../../../test/support/until.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

const TOKEN_MODE = { AUTH_MODE: "token" };
const ANN: Identity = { subject: "ann", name: "ann", roles: ["submitter"], teams: [], via: "key" };

describe("who may open a socket and what it shows", () => {
  let fixture: NotifierFixture;
  let url: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url } = await fixture.notifier({ maxConnections: 10 }, TOKEN_MODE));
  });
  after(() => fixture[Symbol.asyncDispose]());

  const key = async (subject: string, roles: Role[], teams: string[] = []) => {
    const { id, text } = await addApiKey(fixture.db, { subject, roles, teams, expiresInDays: 1 });
    return { id, options: { headers: { authorization: `Bearer ${text}` } } };
  };
  const sessionOf = async (owner: string | null, teams: string[] = []) => {
    const session = await fixture.newSession();
    const sql = "UPDATE alert_sessions SET owner_subject = $2, teams = $3 WHERE session_id = $1";
    await fixture.db.query(sql, [session.id, owner, teams]);
    return session;
  };
  const status = async (where: string, options = {}, protocols: string[] = []) => {
    const message = await TestClient.connect(where, { ...options }, protocols).then(
      (client) => {
        client[Symbol.dispose]();
        return "101";
      },
      (error: unknown) => String(error),
    );
    return Number(/\d{3}/u.exec(message)?.[0]);
  };

  it("answers 401 without a credential, 403 without a role, 421 to another name", async () => {
    expect(await status(url)).to.equal(401);
    expect(await status(url, { headers: { authorization: "Bearer x" } })).to.equal(401);
    expect(await status(url, { headers: { "x-forwarded-user": "root" } })).to.equal(401);
    expect(await status(url, (await key("nobody", [])).options)).to.equal(403);
    expect(await status(url, (await key("viewer", ["viewer"])).options)).to.equal(101);
    const open = await fixture.notifier();
    expect(await status(open.url, { headers: { host: "evil.example" } })).to.equal(421);
    expect(await status(open.url, { origin: "http://localhost:3000" })).to.equal(403);
  });

  it("shows a session to its submitter, its team and operators; to others it does not exist", async () => {
    const session = await sessionOf("key:ann", ["platform"]);
    await session.emit({ type: "session.status", session_id: session.id, status: "in_progress" });
    const channel = `session:${session.id}`;
    for (const [subject, roles, teams] of [
      ["ann", ["submitter"], []],
      ["mate", ["viewer"], ["platform"]],
      ["olga", ["operator"], []],
    ] as [string, Role[], string[]][]) {
      using client = await TestClient.connect(url, (await key(subject, roles, teams)).options);
      await client.subscribe(channel, { after_seq: 0 });
      await client.until(() => client.of("session.status").length === 1);
    }
    using bob = await TestClient.connect(url, (await key("bob", ["submitter"])).options);
    const unknown = randomUUID();
    for (const action of ["subscribe", "catchup"]) {
      bob.send({ action, channel, last_event_id: 0 });
      bob.send({ action, channel: `session:${unknown}`, last_event_id: 0 });
    }
    await bob.until(() => bob.of("error").length >= 3);
    const texts = bob.of("error").map(({ message }) => String(message).replace(/[0-9a-f-]{36}/u, "ID"));
    expect(new Set(texts).size).to.equal(1);
    expect(bob.of("session.status")).to.deep.equal([]);
  });

  it("shows on the channel of all sessions only those that the client may see, in order", async () => {
    const [own, other] = [await sessionOf("key:cleo"), await sessionOf("key:ann")];
    using cleo = await TestClient.connect(url, (await key("cleo", ["submitter"])).options);
    await cleo.subscribe("sessions");
    for (const status_ of ["in_progress", "cancelling"] as const) {
      for (const session of [other, own]) {
        await session.emit({ type: "session.status", session_id: session.id, status: status_ });
      }
    }
    await cleo.until(() => cleo.of("session.status").length === 2);
    expect(cleo.of("session.status").map((event) => [event["session_id"], event["seq"]])).to.deep.equal([
      [own.id, 1],
      [own.id, 2],
    ]);
  });

  it("reads the owner of a new session once for all clients", async () => {
    const one = await fixture.notifier({ concurrentReads: 1, waitingReads: 1 }, TOKEN_MODE);
    const session = await sessionOf("key:dora");
    const { options } = await key("dora", ["submitter"]);
    using clients = new DisposableStack();
    const watchers = [];
    for (let n = 0; n < 8; n += 1) watchers.push(clients.use(await TestClient.connect(one.url, options)));
    for (const watcher of watchers) await watcher.subscribe("sessions");
    await session.emit({ type: "session.status", session_id: session.id, status: "in_progress" });
    for (const watcher of watchers) await watcher.until(() => watcher.of("session.status").length === 1);
    const metrics = await (await fetch(`${one.healthUrl}/metrics`)).text();
    expect(metrics).to.match(/database_reads_total\{[^}]*read="session owner"[^}]*\} 1\n/u);
  });

  it("lets a client in once by a ticket, and selects its own protocol", async () => {
    const session = await sessionOf("key:ann");
    const protocol = `${TICKET_PROTOCOL}${await createTicket(fixture.db, ANN)}`;
    using client = await TestClient.connect(url, {}, [protocol, "tarsy"]);
    expect(client.socket.protocol).to.equal("tarsy");
    await client.subscribe(`session:${session.id}`);
    expect(await status(url, {}, [protocol])).to.equal(401);
    const expired = await createTicket(fixture.db, ANN);
    await fixture.db.query("UPDATE ws_tickets SET expires_at = now()");
    expect(await status(url, {}, [`${TICKET_PROTOCOL}${expired}`])).to.equal(401);
  });

  it("lets no client in by the ticket of a key that was revoked since", async () => {
    const { id } = await key("gone", ["viewer"]);
    const ticket = await createTicket(fixture.db, { ...ANN, keyId: id });
    await revokeApiKey(fixture.db, id);
    expect(await status(url, {}, [`${TICKET_PROTOCOL}${ticket}`])).to.equal(401);
  });

  it("lets no client in by the ticket of a person who has signed out of the page since", async () => {
    const sessions = new PageSessions(fixture.db);
    const headers = { "x-tarsy-page": "", cookie: await sessions.open({ ...ANN, via: "jwt" }, "") };
    const identity = (await sessions.identify(headers)) ?? ANN;
    const protocols = async () => [`${TICKET_PROTOCOL}${await createTicket(fixture.db, identity)}`];
    expect(await status(url, {}, await protocols())).to.equal(101);
    await sessions.end(headers);
    expect(await status(url, {}, await protocols())).to.equal(401);
  });

  it("closes with 4401 when the credential expires, and says how to resume", async () => {
    let expiresAt = 0;
    /** With a credential that ends after a second, or as late as it takes to be let in before. */
    const connect = async (address: string): Promise<TestClient> => {
      for (let ms = 1_000; ; ms *= 2) {
        expiresAt = Date.now() + ms;
        const ticket = await createTicket(fixture.db, { ...ANN, expiresAt });
        const client = TestClient.connect(address, {}, [`${TICKET_PROTOCOL}${ticket}`]);
        const letIn = await client.catch(() => undefined);
        if (letIn !== undefined) return letIn;
      }
    };
    using client = await connect(url);
    const clientExpiresAt = expiresAt;
    using other = await connect(url.replace("/ws", "/api/v1/ws"));
    expect(await client.closed).to.deep.equal({
      code: 4401,
      reason:
        "the credential has expired: connect again with a new one and subscribe with after_seq = your last seq",
    });
    expect(Date.now()).to.be.at.least(clientExpiresAt);
    expect(await other.closed).to.deep.equal({
      code: 4401,
      reason:
        "the credential has expired: connect with a new one, subscribe and send catchup with your last db_event_id",
    });
  });

  it("gives one identity a fifth of the sockets", async () => {
    const small = await fixture.notifier({ maxConnections: 10 }, TOKEN_MODE);
    const [greedy, honest] = [await key("greedy", ["operator"]), await key("honest", ["operator"])];
    using first = await TestClient.connect(small.url, greedy.options);
    using _second = await TestClient.connect(small.url, greedy.options);
    expect(await status(small.url, greedy.options)).to.equal(429);
    using _third = await TestClient.connect(small.url, honest.options);
    first.socket.close();
    await first.closed;
    await until("the slot is free", async () => (await status(small.url, greedy.options)) === 101);
  });
});
