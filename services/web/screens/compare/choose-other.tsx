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

/** Asks with which session to compare one: of its forks, where it was forked from, or any other. */
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
          <a href={`/s/${id}`}>{shownText(value.alert_preview ?? "") || shortId(id)}</a>
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
    </>
  );
}

function OtherForm({ id }: { readonly id: string }) {
  const { route } = useLocation();
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<string>();
  const go = () => {
    const other = idItem(text);
    if (other === undefined) setFailure(COMPARE_TEXT.noId);
    else route(`/compare/${id}/${other.key}`);
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
      <FormField id="compare-other" label={COMPARE_TEXT.pick} failure={failure}>
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
