import { useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { ApiFailure } from "#shared/client/api-failure.ts";
import { api, failureText } from "../../../../api/client.ts";
import { failingControl, FormField } from "../../../../parts/form-field.tsx";
import { useModal } from "../../../../parts/use-modal.ts";
import { useRemote } from "../../../../parts/use-remote.ts";
import { lastResult } from "../../../../session/last-result.ts";
import { shownText } from "../../../../session/shown-text.ts";
import { newKey } from "../../../submit/alert-draft.ts";
import type { SessionStore } from "../../session-store.ts";
import { forkBody, forkField, UNCHANGED, type ForkDraft, type ForkField } from "./fork-draft.ts";
import { FORK_TEXT } from "./fork-text.ts";
import { StepChoice, stepAt } from "./step-choice.tsx";
import "./fork-dialog.css";

interface ForkFailure {
  readonly field: ForkField | undefined;
  readonly message: string;
}

interface ForkDialogProps {
  readonly store: SessionStore;
  /** The event at which the reader asked for a fork. */
  readonly seq: number;
}

/** Asks what is to differ in a new session that goes on from the end of a step of this one, and starts it. */
export function ForkDialog({ store, seq }: ForkDialogProps) {
  const dialog = useModal();
  const close = () => (store.forkAt.value = undefined);
  const steps = useRemote(store.id, async (signal) =>
    api.call("GET /api/v1/sessions/:id/steps", { params: { id: store.id }, signal }),
  );
  const { draft, change, failure, offered, isBusy, send } = useFork(store);
  const nearest = useMemo(() => stepAt(steps.value?.steps ?? [], seq), [steps.value, seq]);
  const atSeq = draft.atSeq ?? nearest?.at_seq;
  const failureOf = (field: ForkField) => (failure?.field === field ? failure.message : undefined);
  const control = (field: ForkField) => failingControl(`fork-${field}`, failureOf(field));
  return (
    <dialog ref={dialog} class="dialog fork-dialog" aria-labelledby="fork-title" onCancel={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send(atSeq);
        }}
      >
        <h2 id="fork-title">{FORK_TEXT.title}</h2>
        <p class="soft small">{FORK_TEXT.hint}</p>
        <FormField id="fork-atSeq" label={FORK_TEXT.step} failure={failureOf("atSeq") ?? steps.error}>
          <StepChoice
            control={control("atSeq")}
            steps={steps.value?.steps}
            chosen={atSeq}
            choose={(next) => change({ ...draft, atSeq: next, result: undefined })}
          />
        </FormField>
        <Models draft={draft} change={change} failureOf={failureOf} offered={offered} />
        <FormField id="fork-instructions" label={FORK_TEXT.instructions} failure={failureOf("instructions")}>
          <textarea
            {...control("instructions")}
            rows={3}
            value={draft.instructions}
            placeholder={FORK_TEXT.instructionsHint}
            onInput={({ currentTarget }) => change({ ...draft, instructions: currentTarget.value })}
          />
        </FormField>
        <FormField id="fork-maxIterations" label={FORK_TEXT.iterations} failure={failureOf("maxIterations")}>
          <input
            {...control("maxIterations")}
            type="number"
            min={1}
            max={500}
            value={draft.maxIterations}
            placeholder={FORK_TEXT.unchanged}
            onInput={({ currentTarget }) => change({ ...draft, maxIterations: currentTarget.value })}
          />
        </FormField>
        <ResultField
          store={store}
          atSeq={atSeq}
          draft={draft}
          change={change}
          failure={failureOf("result")}
        />
        <ToolsChoice draft={draft} change={change} />
        <p class="field-failure" role="alert">
          {failure !== undefined && failure.field === undefined ? failure.message : ""}
        </p>
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={close}>
            {FORK_TEXT.cancel}
          </button>
          <button type="submit" class="button primary" disabled={isBusy || atSeq === undefined}>
            {isBusy ? FORK_TEXT.sending : FORK_TEXT.send}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** The draft, and sending it: however often the same one is sent, it starts one session. */
function useFork(store: SessionStore) {
  const { route } = useLocation();
  const [draft, setDraft] = useState(UNCHANGED);
  const [failure, setFailure] = useState<ForkFailure>();
  const [offered, setOffered] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const key = useRef(newKey());
  const change = (changed: ForkDraft) => {
    key.current = newKey();
    setFailure(undefined);
    setDraft(changed);
  };
  const send = async (atSeq: number | undefined) => {
    if (atSeq === undefined || isBusy) return;
    setBusy(true);
    try {
      const { session_id: id } = await api.call("POST /api/v1/sessions/:id/fork", {
        params: { id: store.id },
        body: forkBody({ ...draft, atSeq }, lastResult(store.events, atSeq)?.interactionId),
        headers: { "idempotency-key": key.current },
      });
      store.forkAt.value = undefined;
      route(`/s/${id}`);
    } catch (error) {
      const message = failureText(error);
      const field = forkField(message);
      if (field === "provider" && error instanceof ApiFailure) setOffered(error.allowed);
      setFailure({ field, message });
      setBusy(false);
    }
  };
  return { draft, change, failure, offered, isBusy, send };
}

interface PartProps {
  readonly draft: ForkDraft;
  readonly change: (draft: ForkDraft) => void;
}

interface ModelsProps extends PartProps {
  readonly failureOf: (field: ForkField) => string | undefined;
  /** The names that the api has listed. */
  readonly offered: readonly string[];
}

/** The provider, of those that the configuration has, and the model. */
function Models({ draft, change, failureOf, offered }: ModelsProps) {
  // Only operators may read the configuration; for others the api lists the names once one is wrong.
  const config = useRemote("providers", async (signal) => api.call("GET /api/v1/system/config", { signal }));
  const known = Object.keys(config.value?.llm_providers ?? {}).sort();
  const names = known.length > 0 ? known : offered;
  const isOther = draft.provider !== "" && !names.includes(draft.provider);
  const provider = failingControl("fork-provider", failureOf("provider"));
  const set = (name: string) => change({ ...draft, provider: name });
  return (
    <div class="fork-models">
      <FormField id="fork-provider" label={FORK_TEXT.provider} failure={failureOf("provider")}>
        {names.length > 0 ? (
          <select
            {...provider}
            value={draft.provider}
            onChange={({ currentTarget }) => set(currentTarget.value)}
          >
            <option value="">{FORK_TEXT.unchanged}</option>
            {isOther && <option value={draft.provider}>{draft.provider}</option>}
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...provider}
            type="text"
            value={draft.provider}
            placeholder={FORK_TEXT.unchanged}
            onInput={({ currentTarget }) => set(currentTarget.value)}
          />
        )}
      </FormField>
      <FormField id="fork-model" label={FORK_TEXT.model} failure={failureOf("model")}>
        <input
          {...failingControl("fork-model", failureOf("model"))}
          type="text"
          value={draft.model}
          placeholder={FORK_TEXT.modelHint}
          onInput={({ currentTarget }) => change({ ...draft, model: currentTarget.value })}
        />
      </FormField>
    </div>
  );
}

interface ResultFieldProps extends PartProps {
  readonly store: SessionStore;
  readonly atSeq: number | undefined;
  readonly failure: string | undefined;
}

/** The newest result of a tool, which the fork may have otherwise. */
function ResultField({ store, atSeq, draft, change, failure }: ResultFieldProps) {
  const last = useMemo(
    () => (atSeq === undefined ? undefined : lastResult(store.events, atSeq)),
    [store, atSeq],
  );
  if (last === undefined) return null;
  const isEdited = draft.result !== undefined;
  return (
    <details class="fork-result" open={isEdited || failure !== undefined}>
      <summary>
        {FORK_TEXT.result(shownText(last.tool), last.seq)} {isEdited && <b>{FORK_TEXT.edited}</b>}
      </summary>
      <FormField id="fork-result" label={FORK_TEXT.resultText} failure={failure}>
        <textarea
          {...failingControl("fork-result", failure)}
          class="mono"
          rows={8}
          value={draft.result ?? last.content}
          onInput={({ currentTarget: { value } }) =>
            change({ ...draft, result: value === last.content ? undefined : value })
          }
        />
      </FormField>
      {isEdited && (
        <button type="button" class="button small" onClick={() => change({ ...draft, result: undefined })}>
          {FORK_TEXT.restore}
        </button>
      )}
    </details>
  );
}

function ToolsChoice({ draft, change }: PartProps) {
  return (
    <fieldset class="fork-tools">
      <legend>{FORK_TEXT.tools}</legend>
      {(["recorded", "live"] as const).map((tools) => (
        <label key={tools}>
          <input
            type="radio"
            name="fork-tools"
            checked={draft.tools === tools}
            onChange={() => change({ ...draft, tools })}
          />
          <span>
            {FORK_TEXT.toolModes[tools]} <span class="soft small">{FORK_TEXT.toolHints[tools]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
