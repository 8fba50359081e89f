import { personName } from "#shared/client/person-name.ts";
import { FactList } from "../../parts/fact-list.tsx";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { ResultView } from "./result-view.tsx";
import type { SessionFacts } from "./session-store.ts";
import "./alert-panel.css";

interface AlertPanelProps {
  readonly facts: SessionFacts;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

/** What was to be investigated: the alert with its type, its runbook and the chain that it started. */
export function AlertPanel({ facts, isOpen, setOpen }: AlertPanelProps) {
  const { alert_type, chain_id, author, runbook_url, alert_data, created_at } = facts;
  const shown = (text: string | null) => (text === null ? undefined : shownText(text));
  return (
    <details class="alert-panel" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <b>{TEXT.session.alert}</b>{" "}
        {!isOpen && (
          <span class="soft small">
            {[alert_type, chain_id, author]
              .filter((text) => text !== null)
              .map(shownText)
              .join(" · ")}
          </span>
        )}
      </summary>
      {isOpen && (
        <>
          <FactList
            rows={[
              [TEXT.session.alertType, shown(alert_type)],
              [TEXT.session.chain, shown(chain_id)],
              [TEXT.session.author, shown(author && personName(author))],
              [TEXT.session.age, new Date(created_at).toLocaleString()],
            ]}
          />
          {runbook_url !== null && (
            <p>
              {TEXT.session.runbook}: <Runbook url={runbook_url} />
            </p>
          )}
          <ResultView text={alert_data} label={TEXT.session.rawAlert} wraps />
        </>
      )}
    </details>
  );
}

/** A link only where it is one: an alert names its runbook, and an alert is not trusted. */
function Runbook({ url }: { readonly url: string }) {
  const shown = shownText(url);
  if (!/^https?:\/\//iu.test(url)) return <span>{shown}</span>;
  return (
    <a href={url} rel="noopener noreferrer" target="_blank">
      {shown}
    </a>
  );
}
