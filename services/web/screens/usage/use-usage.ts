import { api } from "../../api/client.ts";
import { useRemote } from "../../parts/use-remote.ts";
import { windowTimes, type UsageWindow } from "./usage-window.ts";

export const GROUPS = ["alert_type", "chain", "model"] as const;
export type Group = (typeof GROUPS)[number];

interface UsageRequest {
  readonly window: UsageWindow;
  readonly by: Group;
  readonly alertType: string | undefined;
  readonly chain: string | undefined;
}

/** The sums of a window and those of its days. */
export function useUsage({ window, by, alertType, chain }: UsageRequest) {
  return useRemote([window.from, window.to, by, alertType, chain].join("\n"), async (signal) => {
    const query = {
      ...windowTimes(window),
      ...(alertType === undefined ? {} : { alert_type: alertType }),
      ...(chain === undefined ? {} : { chain_id: chain }),
    };
    const [summary, daily] = await Promise.all([
      api.call("GET /api/v1/usage/summary", { query, signal }),
      api.call("GET /api/v1/usage/days", { query: { ...query, by }, signal }),
    ]);
    return { summary, daily };
  });
}

/** What sessions can be filtered by. */
export function useFilterOptions() {
  return useRemote("options", async (signal) => api.call("GET /api/v1/sessions/filter-options", { signal }));
}
