import type { ComponentChildren } from "preact";
import { personName } from "#shared/client/person-name.ts";
import { failingText, parkedBy, sessionState } from "#shared/client/session-state.ts";
import { now } from "../../parts/clock.ts";
import { Money, Tokens } from "../../parts/numbers.tsx";
import { StatusDot } from "../../parts/status-dot.tsx";
import { CancelledBy, Duration, Elapsed, Moment } from "../../parts/time.tsx";
import { previewOf } from "../../session/preview-of.ts";
import { SEVERE } from "../../session/read-alert.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import type { SessionItem } from "./list-filters.ts";
import { factsOf, hasEnded, type ListRow } from "./list-rows.ts";
import "./session-row.css";

const { sessions: texts } = TEXT;
const REVIEWS: Readonly<Record<string, string>> = TEXT.reviews;

interface SessionRowProps {
  readonly row: ListRow;
  readonly isSelected: boolean;
  /** Undefined where the reader may not review. */
  readonly onSelect?: ((id: string, isSelected: boolean) => void) | undefined;
  /** What can be done with it here. */
  readonly children?: ComponentChildren;
}

/** A session in two lines: the alert and how it stands, then what it found or does. */
export function SessionRow({ row, isSelected, onSelect, children }: SessionRowProps) {
  const { item } = row;
  const ended = hasEnded(item);
  const { kind } = sessionState(factsOf(item));
  const type = shownText(item.alert_type ?? item.chain_id);
  const name = shownText(item.alert_preview) || type;
  return (
    <li class={`session-row ${isSelected ? "selected" : ""}`} data-session={item.id}>
      {onSelect !== undefined && (
        <label class="session-select" hidden={!ended}>
          <input
            type="checkbox"
            aria-label={texts.select(name)}
            checked={isSelected}
            disabled={!ended}
            onChange={(event) => onSelect(item.id, event.currentTarget.checked)}
          />
        </label>
      )}
      <div class="session-main">
        <div class="session-head">
          <StatusDot status={kind} />
          <a class="session-link" href={`/s/${item.id}`}>
            {name}
          </a>
          <Labels item={item} />
          <Marks item={item} />
        </div>
        <p
          class={`session-summary ${(item.status === "failed" && item.excerpt === undefined) || kind === "failing" ? "failed" : ""}`}
        >
          <span class="session-type">{type}</span>{" "}
          <span class="session-found">
            <Found row={row} />
          </span>
        </p>
      </div>
      <Figures item={item} />
      {children}
    </li>
  );
}

/** What it does, what it came to, or why it ended. */
function Found({ row: { item, activity } }: Pick<SessionRowProps, "row">) {
  const { parked, failing, excerpt, cancelled } = item;
  const { kind, since } = sessionState(factsOf(item));
  if (parked !== undefined && since !== undefined) {
    return (
      <>
        {TEXT.session.since} <Moment time={since} />, {shownText(parkedBy(parked))}
      </>
    );
  }
  if (kind === "failing" && failing !== undefined) return <>{shownText(failingText(failing, now.value))}</>;
  if (excerpt !== undefined) {
    return (
      <>
        {shownText(excerpt.before)}
        <mark>{shownText(excerpt.match)}</mark>
        {shownText(excerpt.after)}
      </>
    );
  }
  if (cancelled !== undefined) return <CancelledBy cancelled={cancelled} />;
  if (item.status === "pending") return <>{texts.queued}</>;
  return <>{previewOf(activity ?? item.executive_summary ?? item.error_message ?? "")}</>;
}

/** How bad it is, and where: labels of the alert, and a priority that is not the usual one. */
function Labels({ item: { labels, priority } }: { readonly item: SessionItem }) {
  return (
    <>
      {priority !== "normal" && <span class={`session-mark ${priority}`}>{texts.priorities[priority]}</span>}
      {labels.map(({ name, value }) => (
        <span
          key={name}
          class={`session-label ${name.toLowerCase() === "severity" && SEVERE.test(value) ? "severe" : ""}`}
          title={`${shownText(name)}: ${shownText(value)}`}
        >
          <span class="hidden-text">{`${shownText(name)} `}</span>
          {shownText(value)}
        </span>
      ))}
    </>
  );
}

/** What people have said about it, and its score. */
function Marks({ item }: { readonly item: SessionItem }) {
  return (
    <>
      {item.review_status !== null && item.review_status !== "reviewed" && (
        <span class={`session-mark ${item.review_status}`}>
          {REVIEWS[item.review_status]}
          {item.assignee === null ? "" : ` · ${shownText(personName(item.assignee))}`}
        </span>
      )}
      {item.quality_rating !== null && <span class="session-mark">{TEXT.ratings[item.quality_rating]}</span>}
      <Checked item={item} />
      {item.latest_score !== null && <span class="session-mark">{texts.scored(item.latest_score)}</span>}
      {item.matched_in_content && item.excerpt === undefined && (
        <span class="session-mark">{texts.inContent}</span>
      )}
    </>
  );
}

/** What was concluded, and how many of the quotes for it were found. */
function Checked({ item }: { readonly item: SessionItem }) {
  const { conclusion_status: status, claims_verified: verified, claims_total: total } = item;
  if (status === null) return null;
  return (
    <span class="session-mark">
      {TEXT.conclusions[status]}
      {total !== null && total > 0 && ` · ${texts.verified(verified ?? 0, total)}`}
    </span>
  );
}

/** It stands still while the session is parked. */
function RunTime({ since, until }: { readonly since: string; readonly until: string | undefined }) {
  if (until === undefined) return <Elapsed since={since} />;
  return <Duration ms={Math.max(0, Date.parse(until) - Date.parse(since))} />;
}

function Figures({ item }: { readonly item: SessionItem }) {
  const ended = hasEnded(item);
  return (
    <dl class="session-figures small soft">
      <dt class="hidden-text">{texts.age}</dt>
      <dd>
        <Moment time={item.created_at} />
      </dd>
      <dt class="hidden-text">{texts.duration}</dt>
      <dd>
        {item.duration_ms !== null && ended ? <Duration ms={item.duration_ms} /> : null}
        {item.started_at !== null && !ended && <RunTime since={item.started_at} until={item.parked?.at} />}
      </dd>
      <dt class="hidden-text">{texts.size}</dt>
      <dd>
        {item.estimated_cost_usd !== undefined && item.estimated_cost_usd > 0 ? (
          <Money usd={item.estimated_cost_usd} isComplete={item.cost_completeness === "complete"} />
        ) : (
          item.total_tokens > 0 && <Tokens count={item.total_tokens} />
        )}
      </dd>
    </dl>
  );
}
