import type { Queryable } from "#shared/database/queryable.ts";
import type { World } from "#shared/worlds/world-format.ts";
import { worldHash } from "#shared/worlds/world-hash.ts";
import { insertWorld } from "../../../lab/replay/recording/insert-world.ts";
import type { ExecutorFixture } from "./executor-fixture.ts";

/** What `k8s.large` answers: more than a conversation gets whole. */
export const LARGE = Array.from({ length: 600 }, (_, n) => `line ${n + 1} ${"x".repeat(60)}`).join("\n");
export const MISS = "This call has no recorded answer in this snapshot.";

const OBJECT = { type: "object", properties: { namespace: { type: "string" } } };
const tool = (name: string, more: object = {}) => ({
  name,
  description: name,
  schema: OBJECT,
  schema_from: "importer" as const,
  read_only: true,
  ...more,
});

/** A world with an answer of each kind. */
const SMALL_WORLD: World = {
  format: "tarsy-world",
  version: 1,
  id: "test/small",
  source: { name: "test", repository: "", commit: "", path: "", importer: "1", changes: [] },
  licence: "Apache-2.0",
  clock: { now: "2026-11-01T10:00:00Z", from: "given" },
  alert: { type: "test", data: "pods fail" },
  servers: [
    {
      id: "k8s",
      tools: [
        tool("pods", {
          normalise: { rename: { ns: "namespace" }, defaults: { namespace: "default" } },
          absent: [{ when: { arg: "namespace", in: ["empty"] }, text: "No resources found in {namespace}." }],
        }),
        tool("logs", { schema: { ...OBJECT, required: ["namespace"] } }),
        tool("large"),
        tool("secret"),
      ],
    },
  ],
  answers: [
    { tool: "k8s.pods", args: {}, text: "pending" },
    { tool: "k8s.pods", args: {}, nth: 2, text: "running" },
    { tool: "k8s.logs", args: { namespace: "shop" }, match: "subset", text: "logs of shop" },
    { tool: "k8s.logs", args: { namespace: "shop", pod: "cart" }, match: "subset", text: "logs of cart" },
    { tool: "k8s.large", args: {}, match: "any", text: LARGE, is_error: true },
    { tool: "k8s.secret", args: {}, match: "any", text: "password: hunter2hunter2" },
  ],
  miss: { text: MISS },
};

/** Inserts a session whose tools of the server `k8s` the small world answers. Resolves with its id. */
export async function insertInSmallWorld(
  executor: ExecutorFixture,
  strategy: "react" | "native-thinking",
): Promise<string> {
  const owner: Queryable = { query: async (sql, parameters = []) => executor.query(sql, parameters) };
  const hash = worldHash(SMALL_WORLD);
  await insertWorld(owner, { world: SMALL_WORLD, hash });
  const id = await executor.insert({ strategy, servers: ["k8s"] });
  const place = "UPDATE alert_sessions SET tools_mode = 'recorded', world_hash = $2 WHERE session_id = $1";
  await executor.query(place, [id, hash]);
  return id;
}
