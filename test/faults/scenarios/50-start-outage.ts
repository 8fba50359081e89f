import { setTimeout as wait } from "node:timers/promises";
import type { Scenario } from "../harness/scenario.ts";

const NAMES = ["api", "executor", "tool-runner", "notifier"] as const;
/** Longer than most starts take. */
const START_MS = 3_000;

/** NATS or Postgres goes away while services start: they wait for it, as they do when they run. */
export const startOutage: Scenario = {
  name: "start-outage",
  summary: "NATS or Postgres goes away, at any moment, while the services start",
  run: async ({ lab: openLab, random, short, progress, figure, expect, allowComplaints, allowRepeats }) => {
    allowComplaints(/filestore|stream state/iu);
    const rounds = short ? 4 : 60;
    const lab = await openLab({ executors: 1, slots: 2 });
    let [started, ended] = [0, 0];
    const endings: string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const services = await Promise.all(
        NAMES.map(async (name) =>
          name === "executor"
            ? lab.system.launchService(name, { PGOPTIONS: "-c tarsy.pod=executor-starting" })
            : lab.launchService(name, { API_PORT: "0", NOTIFIER_PORT: "0" }),
        ),
      );
      started += services.length;
      await wait(random.between(200, START_MS));
      const isNats = round % 2 === 0;
      await (isNats ? lab.servers.killNats() : lab.servers.crashPostgres());
      await wait(random.between(0, 1_500));
      await (isNats ? lab.servers.restartNats() : lab.servers.restartPostgres());
      for (const service of services) {
        await lab.system.untilReady(service).catch((error: unknown) => endings.push(String(error)));
        if (service.process.exitCode !== null) ended += 1;
        await lab.system.end(service, "SIGKILL");
      }
      if (round % 10 === 0) progress(`${round} of ${rounds} rounds, ${ended} processes ended`);
    }
    figure("starts", started, "");
    expect("no process that starts ends", ended === 0, `${ended}: ${endings.join("; ").slice(0, 2_000)}`);
    expect("every process gets ready", endings.length === 0, endings.join("; ").slice(0, 2_000));
    await lab.alerts.submitMany(2, { turns: 1 });
    await lab.untilAllTerminal();
    allowRepeats(2);
  },
};
