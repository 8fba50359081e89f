import type { ApiResponse } from "#shared/client/api-types.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { shortId } from "../../parts/format.ts";
import { Age } from "../../parts/time.tsx";
import { RARE_TEXT } from "../rare-text.ts";

interface QueuePanelProps {
  readonly pool: ApiResponse<"GET /health">["worker_pool"] | undefined;
  readonly unfinished: ApiResponse<"GET /api/v1/sessions/active"> | undefined;
}

/** What the executors do, and which sessions wait for them. */
export function QueuePanel({ pool, unfinished }: QueuePanelProps) {
  const { columns } = RARE_TEXT.system;
  return (
    <>
      {pool !== undefined && (
        <>
          <p>
            {RARE_TEXT.system.pool(pool.active_sessions, pool.max_concurrent)},{" "}
            {RARE_TEXT.system.depth(pool.queue_depth)}
            {pool.orphaned_sessions > 0 && (
              <strong class="bad-text">, {RARE_TEXT.system.orphaned(pool.orphaned_sessions)}</strong>
            )}
          </p>
          {pool.worker_stats.length === 0 ? (
            <p class="soft">{RARE_TEXT.system.noExecutors}</p>
          ) : (
            <DataTable
              caption={RARE_TEXT.system.executors}
              hidesCaption
              columns={[
                { text: columns.name },
                { text: columns.sessions, isNumber: true },
                { text: columns.active, isNumber: true },
              ]}
              rows={pool.worker_stats.map(({ id, active_sessions, last_activity }) => ({
                key: id,
                cells: [id, String(active_sessions), <Age time={last_activity} />],
              }))}
            />
          )}
        </>
      )}
      {unfinished !== undefined && unfinished.queued.length === 0 && (
        <p class="soft">{RARE_TEXT.system.noQueue}</p>
      )}
      {unfinished !== undefined && unfinished.queued.length > 0 && (
        <DataTable
          caption={RARE_TEXT.system.queue}
          columns={[
            { text: columns.sessions },
            { text: columns.place, isNumber: true },
            { text: columns.waiting, isNumber: true },
          ]}
          rows={unfinished.queued.map(({ id, alert_type, queue_position, created_at }) => ({
            key: id,
            cells: [
              <a href={`/s/${id}`}>
                {alert_type ?? ""} {shortId(id)}
              </a>,
              String(queue_position),
              <Age time={created_at} />,
            ],
          }))}
        />
      )}
    </>
  );
}
