import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { durationText } from "../../parts/format.ts";
import { useKeys } from "../../keys.ts";
import { replaceParameter } from "./address.ts";
import type { SessionStore } from "./session-store.ts";
import "./time-slider.css";

/** After the slider rests for so long, its place is in the address: browsers limit how often that may change. */
const ADDRESS_PAUSE_MS = 200;

/** The slider over the events of a session: it shows the session as it was at any of them. */
export function TimeSlider({ store }: { readonly store: SessionStore }) {
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
  useKeys({
    ArrowLeft: [TEXT.session.keys.back, () => store.goTo((store.at.value ?? store.fold.view.seq) - 1)],
    ArrowRight: [
      TEXT.session.keys.forward,
      () => store.at.value !== undefined && store.goTo(store.at.value + 1),
    ],
    l: [TEXT.session.keys.live, () => (store.at.value = undefined)],
  });
  if (last < 2) return null;
  const [first] = store.events;
  const sinceStart =
    first === undefined || view.at === undefined ? 0 : Date.parse(view.at) - Date.parse(first.timestamp);
  const shown = at ?? last;
  return (
    <div class={`time-slider ${at === undefined ? "" : "past"}`}>
      <div class="time-track">
        <input
          type="range"
          min={1}
          max={last}
          value={shown}
          aria-label={TEXT.session.time}
          aria-valuetext={`${TEXT.session.atEvent(shown, last)}, +${durationText(sinceStart)}`}
          onInput={({ currentTarget }) => store.goTo(currentTarget.valueAsNumber)}
        />
        <div class="time-ticks" aria-hidden="true">
          {store.fold.view.stages.map((stage) => (
            <Tick key={stage.id} share={(stage.seq - 1) / (last - 1)} name={shownText(stage.name)} />
          ))}
        </div>
      </div>
      <span class="small numbers time-place">
        {TEXT.session.atEvent(shown, last)} · +{durationText(sinceStart)}
      </span>
      {at !== undefined && (
        <button type="button" class="button" onClick={() => (store.at.value = undefined)}>
          {TEXT.session.backToLive}
        </button>
      )}
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
