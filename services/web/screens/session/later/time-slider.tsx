import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../../../keys.ts";
import { durationText } from "../../../parts/format.ts";
import { shownText } from "../../../session/shown-text.ts";
import { endBefore, endOfStep, nextEnd } from "../../../session/steps.ts";
import { TEXT } from "../../../text.ts";
import { replaceParameter } from "../address.ts";
import type { SessionStore } from "../session-store.ts";
import { describeEvent } from "./describe-event.ts";
import { mayFork } from "./fork/fork-button.tsx";
import { ForkDialog } from "./fork/fork-dialog.tsx";
import { FORK_TEXT } from "./fork/fork-text.ts";
import { LATER_TEXT } from "./later-text.ts";
import { usePastFacts } from "./use-past-facts.ts";
import "./time-slider.css";

/** After the slider rests for so long, its place is in the address: browsers limit how often that may change. */
const ADDRESS_PAUSE_MS = 200;
/** So long a step is shown while the past is played. */
const PLAY_PAUSE_MS = 700;
const TEXTS = LATER_TEXT.history;

interface TimeSliderProps {
  readonly store: SessionStore;
}

/** The slider over the events of a session: it shows the session as it was at any of them. */
export function TimeSlider({ store }: TimeSliderProps) {
  const last = store.version.value >= 0 ? store.fold.view.seq : 0;
  const at = store.at.value;
  const view = store.view.value;
  useEffect(() => {
    const timer = setTimeout(
      () => replaceParameter("at", at === undefined ? undefined : String(at)),
      ADDRESS_PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [at]);
  usePastFacts(store);
  const { isPlaying, setPlaying, goTo, back, forward } = useMovement(store);
  const fork = () => mayFork(store) && (store.forkAt.value = endOfStep(store.events, at ?? last));
  const forkAt = store.forkAt.value;
  useKeys({
    ArrowLeft: [TEXT.session.keys.back, () => goTo((store.at.value ?? store.fold.view.seq) - 1)],
    ArrowRight: [TEXT.session.keys.forward, () => store.at.value !== undefined && goTo(store.at.value + 1)],
    ",": [TEXTS.back, back],
    ".": [TEXTS.forward, forward],
    p: [TEXTS.keys.play, () => setPlaying(!isPlaying)],
    l: [TEXT.session.keys.live, () => (store.at.value = undefined)],
    k: [FORK_TEXT.button, fork],
  });
  const [first] = store.events;
  const sinceStart =
    first === undefined || view.at === undefined ? 0 : Date.parse(view.at) - Date.parse(first.timestamp);
  const shown = at ?? last;
  const what = useMemo(() => {
    const event = at === undefined ? undefined : store.events.find(({ seq }) => seq === at);
    return event && describeEvent(event, view);
  }, [store, at, view]);
  return (
    <>
      <div class={`time-slider ${at === undefined ? "" : "past"}`}>
        <div class="time-buttons" role="group" aria-label={TEXT.session.time}>
          <IconButton icon="‹" name={TEXTS.back} press={back} />
          <IconButton
            icon={isPlaying ? "❚❚" : "▶\uFE0E"}
            name={isPlaying ? TEXTS.pause : TEXTS.play}
            press={() => setPlaying(!isPlaying)}
          />
          <IconButton icon="›" name={TEXTS.forward} press={forward} isDisabled={at === undefined} />
        </div>
        <Track store={store} shown={shown} last={last} goTo={goTo} sinceStart={sinceStart} what={what} />
        <span class="small numbers time-place">
          {LATER_TEXT.session.atEvent(shown, last)} · +{durationText(sinceStart)}
          {at !== undefined && at < last && ` · ${TEXTS.newer(last - at)}`}
        </span>
        {at !== undefined && (
          <button type="button" class="button" onClick={() => (store.at.value = undefined)}>
            {LATER_TEXT.session.backToLive}
          </button>
        )}
        {mayFork(store) && (
          <button type="button" class="button" title={FORK_TEXT.hint} onClick={fork}>
            {FORK_TEXT.button}
          </button>
        )}
      </div>
      {at !== undefined && <PastNote store={store} what={what} />}
      {forkAt !== undefined && <ForkDialog store={store} seq={forkAt} />}
    </>
  );
}

/** Steps and the playing of them. Whatever the reader does by hand ends the playing. */
function useMovement(store: SessionStore) {
  const [isPlaying, setPlaying] = useState(false);
  const at = store.at.value;
  const goTo = (seq: number) => {
    setPlaying(false);
    store.goTo(seq);
  };
  const step = () => {
    const next = nextEnd(store.events, store.at.peek() ?? 0);
    if (next === undefined) store.at.value = undefined;
    else store.goTo(next);
    // The last step is the present.
    if (store.at.peek() === undefined) setPlaying(false);
  };
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setTimeout(step, at === undefined ? 0 : PLAY_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, at]);
  return {
    isPlaying,
    setPlaying,
    goTo,
    back: () => goTo(endBefore(store.events, store.at.peek() ?? store.fold.view.seq) ?? 1),
    forward: () => {
      setPlaying(false);
      if (store.at.peek() !== undefined) step();
    },
  };
}

interface IconButtonProps {
  readonly icon: string;
  readonly name: string;
  readonly press: () => void;
  readonly isDisabled?: boolean;
}

function IconButton({ icon, name, press, isDisabled = false }: IconButtonProps) {
  return (
    <button
      type="button"
      class="button plain"
      title={name}
      aria-label={name}
      disabled={isDisabled}
      onClick={press}
    >
      <span aria-hidden="true">{icon}</span>
    </button>
  );
}

interface TrackProps extends TimeSliderProps {
  readonly shown: number;
  readonly last: number;
  readonly goTo: (seq: number) => void;
  readonly sinceStart: number;
  readonly what: string | undefined;
}

function Track({ store, shown, last, goTo, sinceStart, what }: TrackProps) {
  const place = `${LATER_TEXT.session.atEvent(shown, last)}, +${durationText(sinceStart)}`;
  return (
    <div class="time-track">
      <input
        type="range"
        min={1}
        max={last}
        value={shown}
        aria-label={TEXT.session.time}
        aria-valuetext={what === undefined ? place : `${place}, ${what}`}
        onInput={({ currentTarget }) => goTo(currentTarget.valueAsNumber)}
      />
      <div class="time-ticks" aria-hidden="true">
        {store.fold.view.stages.map((stage) => (
          <Tick key={stage.id} share={(stage.seq - 1) / (last - 1)} name={shownText(stage.name)} />
        ))}
      </div>
    </div>
  );
}

/** That the reader looks at the past: what happened then, and what is not known of it. */
function PastNote({ store, what }: TimeSliderProps & { readonly what: string | undefined }) {
  const problem = store.past.value?.problem;
  return (
    <div class="past-note">
      <p>
        {LATER_TEXT.session.asOf} {what !== undefined && <b class="past-event">{what}</b>}
      </p>
      {problem !== undefined && <p role="status">{TEXTS.noNumbers(shownText(problem))}</p>}
    </div>
  );
}

const LATE = 0.7;

/** Where a stage began. */
function Tick({ share, name }: { readonly share: number; readonly name: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (place.current === null) return;
    // Near the end the name stands before its mark: behind it there is no room.
    const isLate = share > LATE;
    place.current.style.left = isLate ? "" : `${share * 100}%`;
    place.current.style.right = isLate ? `${(1 - share) * 100}%` : "";
    place.current.classList.toggle("late", isLate);
  }, [share]);
  return (
    <span ref={place} class="time-tick" title={name}>
      <span>{name}</span>
    </span>
  );
}
