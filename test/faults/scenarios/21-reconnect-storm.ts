import { testPort } from "../../support/test-port.ts";
import { until } from "../../support/until.ts";
import type { EventRecorder } from "../harness/event-recorder.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { LiveSessions } from "../harness/live-sessions.ts";
import type { Scenario } from "../harness/scenario.ts";

const HISTORY = 200;
/** Ends a run that does not recover; the figures say how long it took. */
const WHOLE_WITHIN_MS = 180_000;

/** Clients of a killed notifier return at once, and have to become whole while their sessions go on. */
export const reconnectStorm: Scenario = {
  name: "reconnect-storm",
  summary: "a notifier is killed, and its many clients return at once to the other; then all clients at once",
  run: async ({ lab: openLab, short, progress, figure, expect }) => {
    const { clients, sessions } = short ? { clients: 200, sessions: 5 } : { clients: 2_000, sessions: 20 };
    const lab = await openLab({ executors: 1, slots: 1 });
    const otherPort = await testPort();
    const startOther = async () => {
      const service = await lab.system.launchService("notifier", {
        NOTIFIER_PORT: String(otherPort),
        PGOPTIONS: "-c tarsy.pod=notifier",
      });
      await lab.system.untilReady(service);
      return service;
    };
    const first = lab.system.find("notifier");
    const other = await startOther();
    const urls = [lab.system.ws, lab.system.ws.replace(/:\d+/u, `:${otherPort}`)];
    await using live = await LiveSessions.start(lab, { sessions, history: HISTORY });
    const { ids } = live;
    let reachable = urls;
    const recorders = Array.from({ length: clients }, (_, index) =>
      lab.follow([ids[index % ids.length] ?? ""], () => reachable[index % reachable.length] ?? ""),
    );
    const measure = async (what: string) => {
      const startedAt = performance.now();
      await untilWhole(recorders, live);
      figure(what, (performance.now() - startedAt) / 1_000, "s");
      progress(`${what} after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    };
    await measure("all clients whole after the start");

    reachable = urls.slice(1);
    await lab.system.end(first, "SIGKILL");
    await measure("clients of the killed notifier whole");
    expectNoOutage(await repeatedReads(other.healthPort), expect);

    await lab.system.end(other, "SIGKILL");
    reachable = urls;
    await Promise.all([lab.startService("notifier"), startOther()]);
    await measure("all clients whole after both were killed");
    for (const { healthPort } of lab.system.all("notifier")) {
      expectNoOutage(await repeatedReads(healthPort), expect);
    }
    figure(
      "connections",
      recorders.reduce((sum, { connections }) => sum + connections, 0),
      `of ${clients} clients`,
    );
    const errors = recorders.flatMap((recorder) => recorder.errors);
    figure("errors that the clients got", errors.length, errors[0] ?? "");
    await live.end();
    await untilEnded(lab);
  },
};

/** Waits until every client has the event that is its session's newest now. */
async function untilWhole(recorders: readonly EventRecorder[], live: LiveSessions): Promise<void> {
  const lastSeqs = live.lastSeqs;
  await until(
    "every client is whole",
    () =>
      recorders.every(({ received }) =>
        [...received].every(([id, events]) => (events.at(-1)?.seq ?? 0) > (lastSeqs.get(id) ?? 0)),
      ),
    WHOLE_WITHIN_MS,
  );
}

async function untilEnded(lab: FaultLab): Promise<void> {
  await until(
    "every client has its session's last event",
    () =>
      lab.recorders.every(({ received }) =>
        [...received.values()].every((events) => events.at(-1)?.type === "session.completed"),
      ),
    WHOLE_WITHIN_MS,
  );
}

/** How often a notifier repeated a read because it took Postgres for unavailable. */
async function repeatedReads(healthPort: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  return Number(/^tarsy_ws_database_reads_failed_total (\d+)$/mu.exec(metrics)?.[1]);
}

function expectNoOutage(repeated: number, expect: (what: string, ok: boolean, detail?: string) => void) {
  expect("waiting reads are not taken for an outage of Postgres", repeated === 0, `${repeated} repeated`);
}
