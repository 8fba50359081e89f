import { useState } from "preact/hooks";
import { api } from "../../../api/client.ts";
import { RemoteState } from "../../../parts/remote-state.tsx";
import { Moment } from "../../../parts/time.tsx";
import { useRemote } from "../../../parts/use-remote.ts";
import type { SessionFacts } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";

const { incident: TEXT } = LATER_TEXT;
const PAGE = 20;

interface IncidentPanelProps {
  readonly id: string;
  readonly group: NonNullable<SessionFacts["alert_group"]>;
}

/** The alerts of a session's incident, newest first; closed until the reader wants to know. */
export function IncidentPanel({ id, group }: IncidentPanelProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="follow-up-panel follow-up-text"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <h2>
          {TEXT.title} <span class="soft small numbers">{group.count}</span>
        </h2>
      </summary>
      {isOpen && <Alerts id={id} count={group.count} />}
    </details>
  );
}

/** Read again when there are more. */
function Alerts({ id, count }: { readonly id: string; readonly count: number }) {
  const [before, setBefore] = useState<number>();
  const remote = useRemote(`${id} ${count} ${before}`, async (signal) =>
    api.call("GET /api/v1/sessions/:id/alerts", {
      params: { id },
      query: { limit: PAGE, ...(before && { before }) },
      signal,
    }),
  );
  const alerts = remote.value?.alerts ?? [];
  return (
    <>
      <RemoteState remote={remote} />
      {alerts.map(({ ordinal, outcome, is_resolved, author, received_at, data }) => (
        <details key={ordinal}>
          <summary class="small">
            <span class="numbers">{ordinal}</span> <Moment time={received_at} /> {TEXT.outcomes[outcome]}
            {is_resolved && `, ${TEXT.resolved}`} <span class="soft">{author}</span>
          </summary>
          <pre>{data ?? TEXT.withheld}</pre>
        </details>
      ))}
      {remote.value?.has_more && (
        <button type="button" class="button small" onClick={() => setBefore(alerts.at(-1)?.ordinal)}>
          {TEXT.older}
        </button>
      )}
      {before !== undefined && (
        <button type="button" class="button small" onClick={() => setBefore(undefined)}>
          {TEXT.newest}
        </button>
      )}
    </>
  );
}
