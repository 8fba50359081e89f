import { useMemo } from "preact/hooks";
import { personName } from "#shared/client/person-name.ts";
import { FactList } from "../../parts/fact-list.tsx";
import { Moment } from "../../parts/time.tsx";
import { isWebAddress, readAlert, SEVERE, type AlertFacts } from "../../session/read-alert.ts";
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

/** What was to be investigated: what the alert says first, where it leads, the chain that it started, and its text. */
export function AlertPanel({ facts, isOpen, setOpen }: AlertPanelProps) {
  const { alert_type, chain_id, author, runbook_url, alert_data, created_at } = facts;
  const alert = useMemo(() => readAlert(alert_data), [alert_data]);
  const by = author === null ? undefined : personName(author);
  return (
    <details class="alert-panel" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <b>{TEXT.session.alert}</b> {alert?.severity !== undefined && <Severity name={alert.severity} />}{" "}
        {!isOpen && (
          <span class="soft small">
            {[alert_type, chain_id, by]
              .filter((text) => text !== null && text !== undefined)
              .map(shownText)
              .join(" · ")}
          </span>
        )}
      </summary>
      {isOpen && (
        <>
          {alert !== undefined && <Facts alert={alert} />}
          <Links links={linksOf(alert, runbook_url)} />
          <FactList
            rows={[
              [TEXT.session.alertType, alert_type ?? undefined],
              [TEXT.session.chain, chain_id],
              [TEXT.session.author, by],
            ]}
          />
          <p class="small soft">
            {TEXT.session.age} <Moment time={created_at} />
          </p>
          {alert === undefined ? (
            <ResultView text={alert_data} label={TEXT.session.rawAlert} wraps />
          ) : (
            <details class="alert-raw">
              <summary>{TEXT.session.rawAlert}</summary>
              <ResultView text={alert_data} label={TEXT.session.rawAlert} wraps />
            </details>
          )}
        </>
      )}
    </details>
  );
}

function Severity({ name }: { readonly name: string }) {
  return <span class={`severity small ${SEVERE.test(name) ? "grave" : ""}`}>{shownText(name)}</span>;
}

function Facts({ alert }: { readonly alert: AlertFacts }) {
  const { summary, description, labels, annotations, count } = alert;
  return (
    <>
      {summary !== undefined && <p class="alert-summary">{shownText(summary)}</p>}
      {description !== undefined && <p class="plain-text small">{shownText(description)}</p>}
      {count > 1 && <p class="small soft">{TEXT.session.alerts(count)}</p>}
      <Chips title={TEXT.session.labels} pairs={labels} />
      <Chips title={TEXT.session.annotations} pairs={annotations} />
    </>
  );
}

function Chips({ title, pairs }: { readonly title: string; readonly pairs: AlertFacts["labels"] }) {
  if (pairs.length === 0) return null;
  return (
    <ul class="chips small" aria-label={title}>
      {pairs.map(([name, value]) => (
        <li key={`${name} ${value}`}>
          {name !== "" && <span class="soft">{shownText(name)} </span>}
          {shownText(value)}
        </li>
      ))}
    </ul>
  );
}

type Links = readonly (readonly [name: string, url: string])[];

/** The runbook that the investigation used, then what the alert links. */
function linksOf(alert: AlertFacts | undefined, runbook: string | null): Links {
  const links = alert?.links ?? [];
  if (runbook === null || links.some(([, url]) => url === runbook)) return links;
  return [[TEXT.session.runbook.toLowerCase(), runbook], ...links];
}

function Links({ links }: { readonly links: Links }) {
  if (links.length === 0) return null;
  return (
    <ul class="alert-links small" aria-label={TEXT.session.links}>
      {links.map(([name, url]) => (
        <li key={url}>
          <span class="soft">{shownText(name)}</span> <Link url={url} />
        </li>
      ))}
    </ul>
  );
}

/** A link only where it is one: an alert names its runbook, and an alert is not trusted. */
function Link({ url }: { readonly url: string }) {
  const shown = shownText(url);
  if (!isWebAddress(url)) return <span>{shown}</span>;
  return (
    <a href={url} rel="noopener noreferrer" target="_blank">
      {shown.replace(/^https?:\/\//iu, "")}
    </a>
  );
}
