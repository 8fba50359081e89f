import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../support/until.ts";
import type { Stack } from "./stack.ts";

const Targets = Type.Object({
  data: Type.Object({ activeTargets: Type.Array(Type.Object({ health: Type.String() })) }),
});
const parseTargets = (text: string) => compileParser("targets of Prometheus", Targets)(JSON.parse(text));

/**
 * Checks that the Prometheus of compose.monitoring.yml scrapes every container of these services and evaluates the rules, and that
 * an alert of its Alertmanager becomes a session that completes.
 */
export async function expectMonitored(stack: Stack, services: readonly string[]): Promise<void> {
  const ask = async (service: string, path: string, ...options: string[]) => {
    const [container = ""] = await stack.containers(service);
    const url = `http://127.0.0.1:${path}`;
    return stack.podman("exec", container, "wget", "-q", "-O", "-", ...options, url);
  };
  const all = await Promise.all(services.map(async (service) => stack.containers(service)));
  await until("Prometheus scrapes every container", async () => {
    const { activeTargets } = parseTargets(await ask("prometheus", "9090/api/v1/targets?state=active")).data;
    return activeTargets.length === all.flat().length && activeTargets.every(({ health }) => health === "up");
  });
  const rules = await ask("prometheus", "9090/api/v1/rules");
  expect(rules)
    .to.contain("TarsyNoExecutor")
    .and.not.to.match(/"lastError":"[^"]/u);
  await until("Prometheus has found Alertmanager", async () =>
    (await ask("prometheus", "9090/api/v1/alertmanagers")).includes("http://alertmanager:9093/api/v2/alerts"),
  );
  const alert = [{ labels: { alertname: "TarsyStackTest", severity: "warning" } }];
  const json = ["--header", "Content-Type: application/json", "--post-data", JSON.stringify(alert)];
  await ask("alertmanager", "9093/api/v2/alerts", ...json);
  const sessions = "SELECT author, status FROM alert_sessions WHERE alert_data LIKE '%TarsyStackTest%'";
  await until("the alert has become a session", async () => {
    const rows = await stack.query(sessions);
    return rows.length === 1 && rows[0]?.join() === "alertmanager,completed";
  });
}
