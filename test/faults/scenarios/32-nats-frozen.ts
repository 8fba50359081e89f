import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../support/until.ts";
import type { NatsClient } from "../../support/nats-clients.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";

const POLL_MS = 250;
/** A process is to have its connection again this long after the return of NATS. */
const RECONNECT_MS = 10_000;

/** A frozen NATS keeps its connections and accepts new ones, but answers nothing. */
export const natsFrozen: Scenario = {
  name: "nats-frozen",
  summary: "NATS is frozen under load and continues; each process has one connection again and keeps it",
  run: async ({ lab: openLab, short, progress, figure, expect, allowRepeats }) => {
    const { freezeMs, observeMs } = short
      ? { freezeMs: 20_000, observeMs: 20_000 }
      : { freezeMs: 25_000, observeMs: 60_000 };
    const lab = await openLab({ executors: 2, slots: 4 });
    const names = [
      "tarsy-api",
      "tarsy-notifier",
      "tarsy-tool-runner",
      ...lab.executors.map(({ pod }) => pod),
    ];
    const recorder = lab.follow(await lab.alerts.submitMany(6, { turns: 4, paceMs: 1_000 }));
    await until("sessions run", async () => (await lab.claims()).length >= 4);
    const before = new Set((await lab.servers.natsClients()).map(({ cid }) => cid));
    lab.servers.freezeNats();
    const thawAt = Date.now() + freezeMs;
    while (Date.now() < thawAt) {
      recorder.follow(await lab.alerts.submit({ turns: 1 }));
      await wait(Math.min(2_000, Math.max(0, thawAt - Date.now())));
    }
    const backAt = performance.now();
    lab.servers.thawNats();
    const clients = await untilOneEach(lab, names, before);
    const reconnectMs = performance.now() - backAt;
    progress("every process has one connection");
    const changes = await changesDuring(lab, clients, observeMs);
    // A tool request or reply lost with a connection is sent again.
    allowRepeats(8);
    await lab.untilAllTerminal();
    figure("from the return of NATS until each process had one connection", reconnectMs / 1_000, "s");
    expect("each process has one connection within 10 s", reconnectMs <= RECONNECT_MS, `${reconnectMs} ms`);
    expect(`each process keeps it for ${observeMs / 1_000} s`, changes.length === 0, changes.join("; "));
    const completed = await lab.countByStatus("completed");
    expect(
      "every session completes",
      completed === lab.alerts.acked.size,
      `${completed} of ${lab.alerts.acked.size}`,
    );
  },
};

/**
 * The connections, once there is one of each name and no other. `before` are those from before the fault: every process
 * has given up its own, but NATS does not know that yet.
 */
async function untilOneEach(
  lab: FaultLab,
  names: readonly string[],
  before: ReadonlySet<number>,
): Promise<NatsClient[]> {
  const wanted = names.toSorted().join();
  let seen = "";
  try {
    return await until("each process has one connection", async () => {
      const clients = await lab.servers.natsClients();
      seen = namesOf(clients);
      return seen === wanted && clients.every(({ cid }) => !before.has(cid)) && clients;
    });
  } catch (error) {
    throw new Error(`there are connections of ${seen}`, { cause: error });
  }
}

function namesOf(clients: readonly NatsClient[]): string {
  return clients
    .map(({ name = "(none)" }) => name)
    .toSorted()
    .join();
}

/** Each different set of connections seen during `ms` milliseconds, except the expected one. */
async function changesDuring(lab: FaultLab, expected: readonly NatsClient[], ms: number): Promise<string[]> {
  const describe = (clients: readonly NatsClient[]) =>
    clients
      .map(({ cid, name = "(none)" }) => `${name} ${cid}`)
      .toSorted()
      .join();
  const changes = new Set<string>();
  const end = performance.now() + ms;
  while (performance.now() < end) {
    changes.add(describe(await lab.servers.natsClients()));
    await wait(POLL_MS);
  }
  changes.delete(describe(expected));
  return [...changes];
}
