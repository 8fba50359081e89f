import { api } from "../../api/client.ts";
import { useRemote } from "../../parts/use-remote.ts";
import { windowBefore, windowTimes, type UsageWindow } from "./usage-window.ts";

export const GROUPS = ["alert_type", "chain", "model"] as const;
export type UsageGroup = (typeof GROUPS)[number];

interface UsageRequest {
  readonly window: UsageWindow;
  readonly by: UsageGroup;
  readonly alertType: string | undefined;
  readonly chain: string | undefined;
}

/** The sums of a window, of its days, and of the same time before it. */
export function useUsage({ window, by, alertType, chain }: UsageRequest) {
  return useRemote([window.from, window.to, by, alertType, chain].join("\n"), async (signal) => {
    const filters = {
      ...(alertType === undefined ? {} : { alert_type: alertType }),
      ...(chain === undefined ? {} : { chain_id: chain }),
    };
    const query = { ...windowTimes(window), ...filters };
    const before = { ...windowTimes(windowBefore(window)), ...filters };
    const [summary, daily, earlier] = await Promise.all([
      api.call("GET /api/v1/usage/summary", { query, signal }),
      api.call("GET /api/v1/usage/days", { query: { ...query, by }, signal }),
      api.call("GET /api/v1/usage/summary", { query: before, signal }),
    ]);
    return { summary, daily, earlier: earlier.totals };
  });
}

/** What sessions can be filtered by. */
export function useFilterOptions() {
  return useRemote("options", async (signal) => api.call("GET /api/v1/sessions/filter-options", { signal }));
}
