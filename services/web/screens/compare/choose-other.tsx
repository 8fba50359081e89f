import { sessionState } from "#shared/client/session-state.ts";
import { factsOf } from "../sessions/list-rows.ts";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { failingControl, FormField } from "../../parts/form-field.tsx";
import { shortId } from "../../parts/format.ts";
import { RemoteState } from "../../parts/remote-state.tsx";
import { StatusDot } from "../../parts/status-dot.tsx";
import { Moment } from "../../parts/time.tsx";
import { useRemote } from "../../parts/use-remote.ts";
import { idItem } from "../../palette/palette-items.ts";
import { shownText } from "../../session/shown-text.ts";
import { FORK_TEXT } from "../session/later/fork/fork-text.ts";
import { COMPARE_TEXT } from "./compare-text.ts";
import type { SessionItem } from "../sessions/list-filters.ts";

const RUNS = 50;
const SHOWN_OF_TYPE = 8;

/** Asks with which session to compare one: another run of its alert, a fork, where it was forked from, or any other. */
export function ChooseOther({ id }: { readonly id: string }) {
  const remote = useRemote(id, async (signal) =>
    api.call("GET /api/v1/sessions/:id/overview", { params: { id }, signal }),
  );
  const { value } = remote;
  return (
    <>
      <RemoteState remote={remote} />
      {value !== undefined && (
        <p>
          A · <a href={`/s/${id}`}>{shownText(value.alert_preview ?? "") || shortId(id)}</a>{" "}
          <span class="soft small">
            <Moment time={value.created_at} />
          </span>
        </p>
      )}
      <OtherForm id={id} />
      {value?.forked_from && (
        <p>
          <a href={`/compare/${value.forked_from.session_id}/${id}`}>{COMPARE_TEXT.origin}</a>
        </p>
      )}
      {value !== undefined && value.forks.length > 0 && (
        <section aria-labelledby="compare-forks">
          <h2 id="compare-forks">{COMPARE_TEXT.forksOf}</h2>
          <ul>
            {value.forks.map(({ session_id, at_seq, status, created_at }) => (
              <li key={session_id}>
                <a href={`/compare/${id}/${session_id}`}>{shortId(session_id)}</a> {FORK_TEXT.at(at_seq)} ·{" "}
                <Moment time={created_at} /> <StatusDot status={status} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {value?.alert_type && <OtherRuns id={id} type={value.alert_type} preview={value.alert_preview} />}
    </>
  );
}

interface OtherRunsProps {
  readonly id: string;
  readonly type: string;
  readonly preview: string | undefined;
}

/** The latest sessions of an alert type, first those of the same alert. */
function OtherRuns({ id, type, preview }: OtherRunsProps) {
  const { value: sessions = [] } = useRemote(type, async (signal) => {
    const query = { alert_type: type, page_size: RUNS };
    return (await api.call("GET /api/v1/sessions", { query, signal })).sessions;
  });
  const others = sessions.filter((session) => session.id !== id);
  const isRun = ({ alert_preview }: SessionItem) => alert_preview === preview;
  return (
    <>
      <Others title={COMPARE_TEXT.runs} id={id} sessions={others.filter(isRun)} />
      <Others
        title={COMPARE_TEXT.ofType}
        id={id}
        sessions={others.filter((session) => !isRun(session)).slice(0, SHOWN_OF_TYPE)}
      />
    </>
  );
}

interface OthersProps {
  readonly title: string;
  readonly id: string;
  readonly sessions: readonly SessionItem[];
}

/** Sessions that can be compared with one by a press. */
function Others({ title, id, sessions }: OthersProps) {
  if (sessions.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul class="compare-others">
        {sessions.map((session) => (
          <li key={session.id}>
            <a href={`/compare/${id}/${session.id}`}>
              {shownText(session.alert_preview) || shortId(session.id)}
            </a>{" "}
            <span class="soft small">
              <Moment time={session.created_at} />
            </span>{" "}
            <StatusDot status={sessionState(factsOf(session)).kind} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Asks for a session by its id or address: the one to compare with `id`, or the first one without it. */
export function OtherForm({ id }: { readonly id?: string }) {
  const { route } = useLocation();
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<string>();
  const go = () => {
    const other = idItem(text);
    if (other === undefined) setFailure(COMPARE_TEXT.noId);
    else route(id === undefined ? `/compare/${other.key}` : `/compare/${id}/${other.key}`);
  };
  return (
    <form
      class="compare-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <FormField
        id="compare-other"
        label={id === undefined ? COMPARE_TEXT.pickFirst : COMPARE_TEXT.pick}
        failure={failure}
      >
        <input
          {...failingControl("compare-other", failure)}
          type="text"
          value={text}
          placeholder={COMPARE_TEXT.pickHint}
          onInput={({ currentTarget }) => {
            setFailure(undefined);
            setText(currentTarget.value);
          }}
        />
      </FormField>
      <button type="submit" class="button primary">
        {COMPARE_TEXT.submit}
      </button>
    </form>
  );
}
