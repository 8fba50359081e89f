import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ApiFixture } from "./api-fixture.ts";

const parseAnswer = compileParser(
  "answer",
  Type.Object({
    session_id: Type.Optional(Type.String()),
    status: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
  }),
);
const parseCount = compileParser("count", Type.Object({ n: Type.Integer() }));

/** A chain for each alert type; all agents are the built-in ones. */
const chain = (alertType: string, grouping?: object, more: object = {}) => ({
  alert_types: [alertType],
  stages: [{ name: "look", agents: [{ name: "KubernetesAgent" }] }],
  ...(grouping === undefined ? {} : { grouping }),
  ...more,
});
const BY = { by: ["/name", "/cluster"] };
const STATE = { path: "/state", values: ["resolved", "ok"] };

const CHAINS = {
  counts: chain("counts", { ...BY, window: "10m" }),
  reopens: chain("reopens", { ...BY, window: "10m", on_late: "reopen" }),
  concludes: chain("concludes", { ...BY, on_resolved: "conclude", resolved: STATE }),
  cancels: chain("cancels", {
    ...BY,
    on_resolved: "cancel",
    resolved: { ...STATE, alert: ["/pod"] },
  }),
  alone: chain("alone"),
  test: chain("test"),
  red: chain("red", { ...BY, window: "10m", on_late: "reopen" }, { teams: ["red"] }),
};

/** The configuration of the tests of grouped alerts: a chain for each policy, by alert type. */
export const GROUPED = { tarsy: { agent_chains: CHAINS } };

/** What the alerts of one incident have in common. */
export const incident = () => ({ name: randomUUID(), cluster: "eu" });

/** Posts an alert; an object as JSON. */
export async function postAlert(
  api: ApiFixture,
  alertType: string,
  data: object | string,
  headers: Record<string, string> = {},
) {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const answer = await api.raw("POST", "/api/v1/alerts", {
    body: Buffer.from(JSON.stringify({ data: text, alert_type: alertType })),
    headers: { "content-type": "application/json", ...headers },
  });
  const decoded: unknown = JSON.parse(answer.text);
  const { session_id: id, status, message } = parseAnswer(decoded);
  return { code: answer.status, id, status, message, replayed: answer.headers.get("idempotent-replayed") };
}

/** Reads what is stored, and ends sessions. */
export function groupReads(api: () => ApiFixture) {
  const query = async (sql: string, parameters: unknown[]) => api().servers.query(sql, parameters);
  return {
    count: async (sql: string, parameters: unknown[]) => {
      const [row] = await query(`SELECT count(*)::int AS n FROM ${sql}`, parameters);
      return parseCount(row).n;
    },
    /** Ends a session as its executor does, so long ago. */
    end: async (id: string | undefined, ago = "0 s") => {
      await query(
        `UPDATE alert_sessions SET status = 'completed', completed_at = now() - $2::interval, final_analysis = 'it was DNS' WHERE session_id = $1`,
        [id, ago],
      );
    },
    /** The rows of a session's alerts. */
    rows: async (id: string | undefined) =>
      query(
        "SELECT ordinal, outcome, is_resolved, effect, data FROM group_alerts WHERE session_id = $1 ORDER BY ordinal",
        [id],
      ),
  };
}
