import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Alertmanager } from "../../../test/support/alertmanager.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { ApiFixture } from "./api-fixture.ts";
import { NotificationRelay } from "./notification-relay.ts";
import { TARSY, env } from "./webhook-bodies.ts";

describe("a real Alertmanager", () => {
  const resources = new AsyncDisposableStack();
  let servers: BackingServers;
  let relay: NotificationRelay;
  let alertmanager: Alertmanager;

  const startApi = async () => {
    relay.api = await ApiFixture.start({ servers, config: { tarsy: TARSY }, env });
  };
  const stopApi = async () => {
    const stopped = relay.api;
    relay.api = undefined;
    await stopped?.[Symbol.asyncDispose]();
  };

  before(async () => {
    servers = resources.use(await BackingServers.share());
    relay = resources.use(await NotificationRelay.start());
    resources.defer(stopApi);
    const directory = await mkdtemp(join(tmpdir(), "tarsy-alertmanager-"));
    resources.defer(async () => rm(directory, { recursive: true, force: true }));
    alertmanager = resources.use(await Alertmanager.start(directory, relay.receiver));
  });
  after(() => resources.disposeAsync());

  const anHourLater = (time: Date) => new Date(time.getTime() + 3_600_000);
  const labels = (alertname: string, instance = "a") => ({
    alertname,
    instance,
    team: "db",
    severity: "critical",
  });
  const fire = async (alertname: string, startsAt = new Date()) => {
    await alertmanager.report([{ labels: labels(alertname), startsAt, endsAt: anHourLater(startsAt) }]);
    return startsAt;
  };
  const resolve = async (alertname: string, startsAt: Date) =>
    alertmanager.report([{ labels: labels(alertname), startsAt, endsAt: new Date() }]);
  /** The session that one of these answers has started and all name. */
  const theOneSession = (answers: ReturnType<NotificationRelay["answersTo"]>) => {
    const [id, ...others] = new Set(answers.map(({ session_id }) => session_id));
    expect(others).to.deep.equal([]);
    expect(answers.filter(({ status }) => status === "queued")).to.have.length(1);
    return id;
  };
  const sessionsOf = async (alertname: string) =>
    servers.query(
      "SELECT session_id, alert_type FROM alert_sessions WHERE alert_data LIKE $1 ORDER BY created_at",
      [`%"${alertname}"%`],
    );
  const resolvedOf = async (alertname: string) =>
    servers.query("SELECT session_id FROM alert_notifications WHERE body LIKE $1", [`%"${alertname}"%`]);

  it("gets one session for an alert, through lost answers, repetitions, a restart of the api and its end", async () => {
    const startsAt = await fire("DiskFull");
    await relay.wait("Alertmanager has been without an api", () => relay.of("DiskFull").length >= 2);
    expect(await sessionsOf("DiskFull")).to.deep.equal([]);
    relay.doLoseAnswer = true;
    await startApi();
    await relay.wait("it has repeated the alert", () => relay.answersTo("DiskFull").length >= 4);
    const id = theOneSession(relay.answersTo("DiskFull"));
    const sessions = [{ session_id: id, alert_type: "database" }];
    expect(await sessionsOf("DiskFull")).to.deep.equal(sessions);

    await stopApi();
    await resolve("DiskFull", startsAt);
    await fire("CpuHot");
    await relay.wait("both have met no api", () =>
      ["DiskFull", "CpuHot"].every(
        (name) => relay.of(name).at(-1)?.answer === undefined && relay.of(name).length > 0,
      ),
    );
    await startApi();
    const [resolved] = await relay.wait("the end of the alert is stored", async () => {
      const rows = await resolvedOf("DiskFull");
      return rows.length > 0 ? rows : undefined;
    });
    expect(resolved).to.deep.equal({ session_id: id });
    expect(await sessionsOf("DiskFull")).to.deep.equal(sessions);
    await relay.wait("the other alert has a session", () => relay.answersTo("CpuHot").length >= 2);
    expect(await sessionsOf("CpuHot")).to.have.length(1);

    await fire("DiskFull");
    await relay.wait("the alert that fires anew has a session", async () => {
      const [first, ...more] = await sessionsOf("DiskFull");
      expect(first).to.deep.equal(sessions[0]);
      return more.length > 0;
    });
    const count = relay.answersTo("DiskFull").length;
    await relay.wait("it is repeated", () => relay.answersTo("DiskFull").length >= count + 2);
    expect(await sessionsOf("DiskFull")).to.have.length(2);
    expect(await resolvedOf("DiskFull")).to.have.length(1);
  });

  it("gets one session for the alerts of a group", async () => {
    if (relay.api === undefined) await startApi();
    const startsAt = new Date();
    const endsAt = anHourLater(startsAt);
    const both = ["a", "b"].map((instance) => ({ labels: labels("Replicas", instance), startsAt, endsAt }));
    await alertmanager.report(both);
    const whole = () =>
      relay.of("Replicas").flatMap(({ alerts, answer }) => (alerts.length === 2 ? (answer ?? []) : []));
    await relay.wait("the group is repeated", () => whole().length >= 3);
    theOneSession(whole());
  });
});
