import { useEffect, useRef } from "preact/hooks";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { api } from "../../../api/client.ts";
import { RemoteState } from "../../../parts/remote-state.tsx";
import { useRemote } from "../../../parts/use-remote.ts";
import type { CheckedView } from "../../../session/session-view.ts";
import { shownText } from "../../../session/shown-text.ts";
import { endOfStep } from "../../../session/steps.ts";
import { TEXT } from "../../../text.ts";
import type { SessionStore } from "../session-store.ts";
import { CHECKED_TEXT } from "./checked-text.ts";
import { Claim, ruledOutClaim, type QuotedClaim, type Quoting } from "./quoted-claim.tsx";
import "./checked-conclusion.css";

type Checked = ApiResponse<"GET /api/v1/sessions/:id/conclusion">;

/** No status is shown by its colour alone. */
const MARKS: Readonly<Record<CheckedView["status"], string>> = {
  confirmed: "✓",
  likely: "≈",
  inconclusive: "?",
  unchecked: "–",
};

interface CheckedConclusionProps extends Quoting {
  readonly conclusion: CheckedView;
}

/** What the agents concluded as data, and what became of each quote: as the events have it, and in full once it is read. */
export function CheckedConclusion({ store, conclusion, showEntry }: CheckedConclusionProps) {
  const { status, verified, total, seq } = conclusion;
  return (
    <div class="checked">
      <p class={`checked-status ${status}`} role="status">
        <span class="mark" aria-hidden="true">
          {MARKS[status]}
        </span>{" "}
        <b>{TEXT.conclusions[status]}</b>
        {total > 0 && `, ${CHECKED_TEXT.verified(verified, total)}`}
      </p>
      {!store.isReading.value && <Details store={store} seq={seq} showEntry={showEntry} />}
    </div>
  );
}

/** Of an earlier moment what was concluded by then. */
function useConclusion({ id, at, events, hasOtherNumbers }: SessionStore, seq: number) {
  const isPast = at.value !== undefined && !hasOtherNumbers;
  const remote = useRemote(isPast ? `${id} ${seq}` : id, async (signal) =>
    api.call("GET /api/v1/sessions/:id/conclusion", {
      params: { id },
      query: isPast ? { at_seq: endOfStep(events, seq) } : {},
      signal,
    }),
  );
  const read = useRef({ isPast, seq });
  const { reload } = remote;
  useEffect(() => {
    const before = read.current;
    read.current = { isPast, seq };
    if (!isPast && !before.isPast && before.seq !== seq) reload();
  }, [isPast, seq, reload]);
  return remote;
}

function Details({ store, seq, showEntry }: Quoting & { readonly seq: number }) {
  const remote = useConclusion(store, seq);
  const { value } = remote;
  return (
    <>
      <RemoteState remote={remote} />
      {value !== undefined && <Stated checked={value} store={store} showEntry={showEntry} />}
    </>
  );
}

function Stated({ checked, ...quoting }: Quoting & { readonly checked: Checked }) {
  const { status, stated_status, confidence, summary, agent_name, remarks } = checked;
  const facts = [
    ...(stated_status === null || stated_status === status
      ? []
      : [CHECKED_TEXT.stated(TEXT.conclusions[stated_status].toLowerCase())]),
    ...(confidence === null ? [] : [CHECKED_TEXT.confidence(confidence)]),
    CHECKED_TEXT.by(shownText(agent_name)),
  ];
  return (
    <>
      <p class="small soft">{facts.join(" · ")}</p>
      {/* That of the whole session says more. */}
      {summary !== null && quoting.store.view.value.summary === undefined && <p>{shownText(summary)}</p>}
      {status === "unchecked" ? (
        <p class="small">
          {CHECKED_TEXT.unread} {shownText(remarks.join(" "))}
        </p>
      ) : (
        <details open>
          <summary>
            <h3>{CHECKED_TEXT.evidence}</h3>
          </summary>
          <Evidence checked={checked} {...quoting} />
        </details>
      )}
    </>
  );
}

function Evidence({ checked, ...quoting }: Quoting & { readonly checked: Checked }) {
  const { causes, claims, ruled_out, dropped, gaps, next_checks } = checked;
  const others = claims.filter(({ cause }) => cause < 1 || cause > causes.length);
  return (
    <div class="checked-evidence">
      {causes.length > 0 && (
        <section aria-label={CHECKED_TEXT.causes}>
          <ol class="checked-causes">
            {causes.map((cause, index) => (
              <li key={index}>
                <b>{shownText(cause.entity)}</b>{" "}
                <span class="soft">
                  {CHECKED_TEXT.kinds[cause.kind]}
                  {cause.code !== "" && ` · ${shownText(cause.code)}`}
                </span>
                <p>{shownText(cause.statement)}</p>
                <Claims claims={claims.filter((claim) => claim.cause === index + 1)} {...quoting} />
              </li>
            ))}
          </ol>
        </section>
      )}
      <Part title={CHECKED_TEXT.otherClaims} claims={others} {...quoting} />
      <Part title={CHECKED_TEXT.ruledOut} claims={ruled_out.map(ruledOutClaim)} {...quoting} />
      <Texts title={CHECKED_TEXT.gaps} texts={gaps} />
      <Texts title={CHECKED_TEXT.nextChecks} texts={next_checks} />
      <Part title={CHECKED_TEXT.dropped} claims={dropped} isDropped {...quoting} />
    </div>
  );
}

interface ClaimsProps extends Quoting {
  readonly claims: readonly QuotedClaim[];
  readonly isDropped?: boolean;
}

function Part({ title, ...props }: ClaimsProps & { readonly title: string }) {
  if (props.claims.length === 0) return null;
  return (
    <section aria-label={title}>
      <h4>{title}</h4>
      <Claims {...props} />
    </section>
  );
}

/** What rests on two results is two claims with one text. */
function Claims({ claims, isDropped = false, ...quoting }: ClaimsProps) {
  if (claims.length === 0) return null;
  const byText = Map.groupBy(claims, ({ text }) => text);
  return (
    <ul class="checked-claims">
      {[...byText].map(([text, quotes]) => (
        <li key={text}>
          <Claim text={text} quotes={quotes} isDropped={isDropped} {...quoting} />
        </li>
      ))}
    </ul>
  );
}

function Texts({ title, texts }: { readonly title: string; readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <section aria-label={title}>
      <h4>{title}</h4>
      <ul>
        {texts.map((text, index) => (
          <li key={index}>{shownText(text)}</li>
        ))}
      </ul>
    </section>
  );
}
