import type { Queryable } from "#shared/database/queryable.ts";
import { seedSession } from "../../../services/api/test/seed-sessions.ts";

const DAY_SECONDS = 86_400;
const TYPES = ["disk-full", "pod-crash", "latency", null];
const STATUSES = ["completed", "completed", "completed", "failed", "completed", "timed_out", "cancelled"];

/** Ended sessions of the latest days with costs, of which one model has none. */
export async function seedUsage(owner: Queryable, days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    for (let number = 0; number < 1 + ((day * 7) % 5); number += 1) {
      const size = 1 + ((day * 31 + number * 17) % 9);
      await seedSession(owner, {
        age: day * DAY_SECONDS + number * 60,
        alertType: TYPES[(day + number) % TYPES.length] ?? null,
        chain: number % 2 === 0 ? "kubernetes" : "databases",
        status: STATUSES[(day + number) % STATUSES.length] ?? "completed",
        duration: 20 * size,
        usage: {
          "gemini-3-pro": { input: 40_000 * size, output: 2_000 * size, usd: `0.${10 + size}` },
          ...(number === 2 ? { "llama-on-premises": { input: 9_000, output: 700, calls: 3 } } : {}),
        },
      });
    }
  }
}
