import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Alertmanager } from "../../../test/support/alertmanager.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { ApiFixture } from "./api-fixture.ts";
import { NotificationRelay } from "./notification-relay.ts";
import { TARSY, env } from "./webhook-bodies.ts";

const { alertmanager: source } = TARSY.system.webhooks;
const SPLIT = { ...TARSY, system: { webhooks: { alertmanager: { ...source, split: true } } } };
const AN_HOUR_MS = 3_600_000;

const firing = (alertname: string, instance: string, startsAt: Date) => ({
  labels: { alertname, instance, team: "db", severity: "critical" },
  startsAt,
  endsAt: new Date(startsAt.getTime() + AN_HOUR_MS),
});
const resolved = (alertname: string, instance: string, startsAt: Date) => ({
  ...firing(alertname, instance, startsAt),
  endsAt: new Date(),
});

describe("a real Alertmanager", () => {
  const resources = new AsyncDisposableStack();
  let servers: BackingServers;

  before(async () => {
    servers = resources.use(await BackingServers.start());
  });
  after(() => resources.disposeAsync());

  /** Starts an Alertmanager whose notifications go through a relay of its own. */
  const startAlertmanager = async (
    stack: AsyncDisposableStack,
    api: ApiFixture,
    options: { readonly interval?: string } = {},
  ) => {
    const relay = stack.use(await NotificationRelay.start(api));
    const directory = await mkdtemp(join(tmpdir(), "tarsy-alertmanager-"));
    stack.defer(async () => rm(directory, { recursive: true, force: true }));
    const alertmanager = stack.use(await Alertmanager.start(directory, { ...relay.receiver, ...options }));
    return { relay, alertmanager };
  };
  const sessionsOf = async (alertname: string) =>
    (
      await servers.query("SELECT session_id FROM alert_sessions WHERE alert_data LIKE $1", [
        `%"${alertname}"%`,
      ])
    ).length;
  const resolvedOf = async (alertname: string) =>
    servers.query("SELECT session_id FROM alert_notifications WHERE body LIKE $1", [`%"${alertname}"%`]);

  it("gets a session for each alert of a group with `split`, also when others join or end", async () => {
    await using stack = new AsyncDisposableStack();
    const api = stack.use(await ApiFixture.start({ servers, config: { tarsy: SPLIT }, env }));
    const { relay, alertmanager } = await startAlertmanager(stack, api);
    const [name, startsAt] = ["Split", new Date()];
    /** The answers to notifications that have these alerts. */
    const answersWith = (...alerts: readonly string[]) =>
      relay
        .of(name)
        .filter(
          (exchange) =>
            exchange.alerts
              .map(({ status, labels }) => `${labels["instance"]} ${status}`)
              .toSorted()
              .join() === alerts.join(),
        )
        .flatMap(({ answer }) => answer ?? []);
    await alertmanager.report([firing(name, "a", startsAt), firing(name, "b", startsAt)]);
    const both = await relay.wait("both alerts are repeated", () => {
      const answers = answersWith("a firing", "b firing");
      return answers.length >= 3 ? answers : undefined;
    });
    const [first] = both;
    expect(first?.session_ids).to.have.length(2);
    for (const { session_ids } of both) expect(session_ids).to.have.members(first?.session_ids ?? []);

    await alertmanager.report([resolved(name, "a", startsAt), firing(name, "c", startsAt)]);
    const [changed] = await relay.wait("one alert has ended and one has joined", () => {
      const answers = answersWith("a resolved", "b firing", "c firing");
      return answers.length > 0 ? answers : undefined;
    });
    expect(changed?.session_ids)
      .to.have.length(3)
      .and.to.include.members(first?.session_ids ?? []);
    const left = await relay.wait("those that go on firing are repeated", () => {
      const answers = answersWith("b firing", "c firing");
      return answers.length >= 2 ? answers : undefined;
    });
    for (const { status } of left) expect(status).to.equal("known");
    expect(await sessionsOf(name)).to.equal(3);
    const ends = await resolvedOf(name);
    expect(ends).to.have.length(1);
    expect(changed?.session_ids.map((session_id) => ({ session_id }))).to.deep.include(ends[0]);
  });

  it("gets one session and one record of the end for what both of a pair send", async () => {
    await using stack = new AsyncDisposableStack();
    const api = stack.use(await ApiFixture.start({ servers, config: { tarsy: TARSY }, env }));
    const pair = [await startAlertmanager(stack, api), await startAlertmanager(stack, api)];
    const [name, startsAt] = ["Pair", new Date()];
    const reportToBoth = async (alert: ReturnType<typeof firing>) =>
      Promise.all(pair.map(async ({ alertmanager }) => alertmanager.report([alert])));
    await reportToBoth(firing(name, "a", startsAt));
    for (const { relay } of pair) {
      await relay.wait("each has repeated the alert", () => relay.answersTo(name).length >= 2);
    }
    await reportToBoth(resolved(name, "a", startsAt));
    for (const { relay } of pair) {
      await relay.wait("each has sent the end", () =>
        relay.of(name).some(({ alerts, answer }) => answer !== undefined && alerts[0]?.status === "resolved"),
      );
    }
    const answers = pair.flatMap(({ relay }) => relay.answersTo(name));
    const [id, ...others] = new Set(answers.map(({ session_id }) => session_id));
    expect(others).to.deep.equal([]);
    expect(answers.filter(({ status }) => status === "queued")).to.have.length(1);
    expect(await sessionsOf(name)).to.equal(1);
    expect(await resolvedOf(name)).to.deep.equal([{ session_id: id }]);
  });

  it("gets one session for an alert that the api refuses with 503 until its database is back", async () => {
    await using stack = new AsyncDisposableStack();
    const api = stack.use(await ApiFixture.start({ servers, config: { tarsy: TARSY }, env }));
    // Within the interval only Alertmanager's retry can deliver the notification.
    const { relay, alertmanager } = await startAlertmanager(stack, api, { interval: "1h" });
    await servers.stopPostgres();
    const name = "Outage";
    await alertmanager.report([firing(name, "a", new Date())]);
    await relay.wait("the alert was refused twice", () => relay.of(name).length >= 2);
    expect(relay.of(name).map(({ status }) => status))
      .to.include(503)
      .and.not.to.include(202);
    await servers.restartPostgres();
    const [answer] = await relay.wait("the alert is accepted", () => {
      const answers = relay.answersTo(name);
      return answers.length > 0 ? answers : undefined;
    });
    expect(answer).to.include({ status: "queued" });
    expect(await sessionsOf(name)).to.equal(1);
  });
});
