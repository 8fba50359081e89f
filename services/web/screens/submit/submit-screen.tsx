import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { api, failureText } from "../../api/client.ts";
import { may, me } from "../../api/me.ts";
import { useKeys } from "../../keys.ts";
import { failingControl, FieldFailure, FormField } from "../../parts/form-field.tsx";
import { useTitle } from "../../parts/use-title.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { TEXT } from "../../text.ts";
import {
  EMPTY_DRAFT,
  MAX_ALERT_BYTES,
  bodyOf,
  draftOf,
  fieldOf,
  newKey,
  type AlertDraft,
  type AlertField,
} from "./alert-draft.ts";
import { ToolChoice } from "./tool-choice.tsx";
import "./submit-screen.css";

const { submit: texts } = RARE_TEXT;

interface SubmitFailure {
  readonly field: AlertField | undefined;
  readonly message: string;
}

/** What the form offers to choose from. */
function useChoices() {
  const [runbooks, setRunbooks] = useState<ApiResponse<"GET /api/v1/runbooks">>([]);
  const [types, setTypes] = useState<ApiResponse<"GET /api/v1/alert-types">>();
  useEffect(() => {
    const ending = new AbortController();
    // Without them the default type can still be used.
    api.call("GET /api/v1/alert-types", { signal: ending.signal }).then(setTypes, () => undefined);
    api.call("GET /api/v1/runbooks", { signal: ending.signal }).then(setRunbooks, () => undefined);
    return () => ending.abort();
  }, []);
  return { types, runbooks };
}

/** The draft, and sending it: however often the same one is sent, it starts one investigation. */
function useDraft() {
  const { query, route } = useLocation();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [failure, setFailure] = useState<SubmitFailure>();
  const [isBusy, setBusy] = useState(false);
  const key = useRef(newKey());
  const latest = useRef(draft);
  latest.current = draft;
  const loaded = useRef(draft);
  const change = (changed: AlertDraft) => {
    key.current = newKey();
    setFailure(undefined);
    setDraft(changed);
  };
  const { from } = query;
  useEffect(() => {
    if (from === undefined) return undefined;
    const ending = new AbortController();
    const load = async () => {
      try {
        const request = { params: { id: from }, signal: ending.signal };
        const session = await api.call("GET /api/v1/sessions/:id/overview", request);
        // What the reader has written meanwhile stays.
        if (latest.current !== EMPTY_DRAFT && latest.current !== loaded.current) return;
        loaded.current = draftOf(session);
        change(loaded.current);
      } catch (error) {
        if (!ending.signal.aborted) setFailure({ field: undefined, message: failureText(error) });
      }
    };
    void load();
    return () => ending.abort();
  }, [from]);
  const send = async () => {
    if (draft.text.trim() === "") return setFailure({ field: "text", message: texts.noText });
    if (new TextEncoder().encode(draft.text).length > MAX_ALERT_BYTES) {
      return setFailure({ field: "text", message: texts.tooLong });
    }
    setBusy(true);
    try {
      const { session_id: id } = await api.call("POST /api/v1/alerts", {
        body: bodyOf(draft),
        headers: { "idempotency-key": key.current },
      });
      route(`/s/${id}`);
    } catch (error) {
      const message = failureText(error);
      setFailure({ field: fieldOf(message), message });
      setBusy(false);
    }
    return undefined;
  };
  return { draft, change, failure, isBusy, send };
}

/** The form that starts an investigation, for those who may. */
export function SubmitScreen() {
  useTitle(TEXT.titles.submit);
  if (me.value === undefined || may("alert.submit")) return <SubmitForm />;
  return (
    <div class="submit-screen">
      <h1>{TEXT.titles.submit}</h1>
      <p>{texts.notAllowed(me.value.role)}</p>
    </div>
  );
}

function SubmitForm() {
  const { types, runbooks } = useChoices();
  const { draft, change, failure, isBusy, send } = useDraft();
  useKeys({ "Mod+enter": [texts.send, () => void send()] });
  const failureOf = (name: AlertField) => (failure?.field === name ? failure.message : undefined);
  const described = (name: AlertField) => failingControl(`alert-${name}`, failureOf(name));
  const description = types?.alert_types.find(({ type }) => type === draft.type)?.description;
  return (
    <form
      class="submit-screen"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <h1>{TEXT.titles.submit}</h1>
      <FormField id="alert-text" label={texts.text} failure={failureOf("text")}>
        <textarea
          {...described("text")}
          class="mono"
          rows={12}
          required
          placeholder={texts.textHint}
          value={draft.text}
          onInput={(event) => change({ ...draft, text: event.currentTarget.value })}
        />
      </FormField>
      <FormField id="alert-type" label={texts.type} failure={failureOf("type")}>
        <select
          {...described("type")}
          value={draft.type}
          onChange={(event) => change({ ...draft, type: event.currentTarget.value })}
        >
          <option value="">
            {types === undefined ? texts.anyType : texts.defaultType(types.default_alert_type)}
          </option>
          {types?.alert_types.map(({ type }) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </select>
        {description !== undefined && description !== "" && <p class="soft small">{description}</p>}
      </FormField>
      <FormField id="alert-runbook" label={texts.runbook} failure={failureOf("runbook")}>
        <input
          {...described("runbook")}
          type="text"
          inputMode="url"
          value={draft.runbook}
          placeholder={texts.runbookHint}
          list="runbooks"
          onInput={(event) => change({ ...draft, runbook: event.currentTarget.value })}
        />
        <datalist id="runbooks">
          {runbooks.map((address) => (
            <option key={address} value={address} />
          ))}
        </datalist>
      </FormField>
      <ToolChoice draft={draft} onChange={change} />
      <FieldFailure id="alert-servers" failure={failureOf("servers")} />
      <p class="field-failure" role="alert">
        {failure !== undefined && failure.field === undefined ? failure.message : ""}
      </p>
      <div>
        <button type="submit" class="button primary" disabled={isBusy}>
          {isBusy ? texts.sending : texts.send}
        </button>
      </div>
    </form>
  );
}
